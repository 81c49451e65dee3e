"""Outgoing e-mail. Owns `mail_messages`; emits no events.

`outbox.send` writes a message in the running transaction. The worker then sends it (`delivery/`) to the
operator's mail server, or writes it to a folder.
"""
