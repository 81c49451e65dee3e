"""Sign-in and sessions. Owns `sessions`, `authenticators`, `recovery_codes`, `password_resets`,
`email_changes`, `passkeys` and `passkey_challenges`.

The permissions of roles are in `access.permissions`.
"""

from trilha.access.sessions import errors as errors
