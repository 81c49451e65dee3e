"""What each tenant uses: calls of the API, e-mails, people and storage, by month (UTC).

Owns `usage_counters`, whose rows the worker merges, and `usage_months`, which it measures.
"""
