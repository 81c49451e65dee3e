"""People. Owns `users`; emits `user.created`, `.updated`, `.suspended`, `.reactivated` and `.deleted`."""

from trilha.users import errors as errors
