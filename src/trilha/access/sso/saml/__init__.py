"""The SAML 2.0 service provider.

`documents`, `structure`, `signatures`, `encryption` and `assertions` are pure: they take bytes, expectations
and the time, and return what was signed or raise SignInRefused. They are two layers that do not trust each
other: `structure` refuses every document in which something could be mistaken for the signed part, and
`assertions` reads only the bytes that a signature covers.
"""
