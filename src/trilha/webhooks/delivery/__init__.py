"""From an event to a receiver.

`relay` makes deliveries of events. `dispatcher` claims, sends and records: begin reading there.
`due_endpoints` tells it where to look, `queue` has the SQL, `fair_queue` decides whose turn it is, `sender`
makes one request over HTTP, `signing` signs it, `results` decides what follows from it, and `recorder` writes
results down in batches.
"""
