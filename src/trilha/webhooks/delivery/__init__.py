"""From an event to a receiver.

`dispatcher` claims, sends and records: begin reading there. `due_tenants` tells it where to look, `queue` has
the SQL, `sender` makes one request over HTTP, `signing` signs it, `results` decides what follows from it, and
`recorder` writes results down in batches.
"""
