"""People who are signed in. Owns `sessions`, `authenticators`, `recovery_codes`, `password_resets`,
`email_changes`.

What a role may do is in `permissions.py`, the one table that pages, menus and tests read.
"""

from trilha.sessions import errors as errors
