"""What the operator looks at: the processes that run, what waits for a worker, and the last errors.

Owns `last_errors`.
"""
