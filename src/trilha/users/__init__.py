"""People. Owns `users`; emits `user.created`, `user.updated`, `user.suspended`, `user.reactivated`."""

from trilha.users import errors as errors
