"""People. Owns `users` and `user_words`, which search is answered from.

Emits `user.created`, `user.updated`, `user.suspended`, `user.reactivated`, `user.role_changed`,
`user.deleted`.
"""

from trilha.users import errors as errors
