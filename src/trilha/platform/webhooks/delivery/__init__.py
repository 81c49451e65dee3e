"""Delivers events to receivers.

`relay` creates deliveries from events. `dispatcher` claims, sends and records: begin reading there.
`due_endpoints` tells it where to look, `queue` has the SQL, `fair_queue` decides which delivery is next,
`sender` makes one HTTP request, `signing` signs it, `results` decides what follows, and `recorder` records
results in batches.
"""
