"""The surfaces: sets of addresses that share authentication, limits, headers and the form of their errors.

One file for each API (`v1`, `api`, `oauth`, `scim`) and one for all pages. `composition` puts them together
with the surfaces that features contribute; `descriptions` are the OpenAPI descriptions of the APIs.
"""
