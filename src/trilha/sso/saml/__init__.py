"""The SAML 2.0 service provider.

`documents`, `structure`, `signatures`, `encryption` and `assertions` are pure: they get bytes, what is
expected and the time, and give what was signed or raise SignInRefused, and nothing else. They are two layers
that do not trust each other: `structure` refuses every document in which something could be mistaken for the
signed part, and `assertions` reads from nothing but the bytes that a signature was found to be over.
"""
