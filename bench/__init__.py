"""Each measured route beside its floor, beside the usual way, and beside itself in a larger database.

`python -m bench` prints the table; `python -m bench explain` prints the plans of first and far pages;
`python -m bench webhooks` measures deliveries.
"""
