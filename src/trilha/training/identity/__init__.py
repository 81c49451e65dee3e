"""Photos that confirm that the person who learns is the one who is enrolled.

Owns `identity_settings`, `identity_texts`, `identity_rules`, `identity_consents`, `identity_photos`,
`identity_references`, `identity_checks` and `identity_confirmations`; emits no events, because nothing about
a person's face leaves the server.
"""
