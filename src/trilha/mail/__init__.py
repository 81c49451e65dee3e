"""E-mail that Trilha sends. Owns `mail_messages`; emits no event.

`outbox.send` writes a message into the running transaction; the worker sends it after that (`delivery/`), to
the operator's mail server or into a folder.
"""
