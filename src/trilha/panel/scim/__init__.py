"""/admin/scim: how an identity provider keeps people: tokens, what it asked for, and what to paste where."""
