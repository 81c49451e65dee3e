"""Status for the operator: running processes, waiting work, and the last errors.

Owns `last_errors`.
"""
