"""SCIM 2.0 (RFC 7643, 7644): an identity provider keeps people and learning groups as it has them.

Owns `scim_users` and `scim_groups`, what a provider has said that has no place of its own, and
`scim_requests` and `scim_activity`, what providers asked for of late. People are changed by `users.actions`
and groups by `learning_groups.actions`, whose rules and events are those of every other way in.
"""
