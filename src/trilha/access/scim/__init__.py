"""SCIM 2.0 (RFC 7643, 7644): an identity provider manages people and learning groups.

Owns `scim_users` and `scim_groups`, for attributes that have no place elsewhere, and `scim_requests` and
`scim_activity`, the log of recent requests. Changes go through `users.actions` and `learning_groups.actions`,
with the same rules and events as any other change.
"""
