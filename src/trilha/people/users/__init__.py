"""People in the company's directory. Owns `users` and `user_words`, the index for search.

Emits `user.created`, `user.updated`, `user.suspended`, `user.reactivated`, `user.role_changed`,
`user.deleted`.
"""

from trilha.people.users import errors as errors
