"""Certificates: proof of a completion that anybody can verify and that never changes.

Owns `certificates` and `missing_certificates`; emits `certificate.issued`, `certificate.revoked` and
`certificate.expiring`.
"""
