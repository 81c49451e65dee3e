"""Proof of what was completed: issued with the completion, verified by anybody, never changed.

Owns `certificates` and `missing_certificates`; emits `certificate.issued`, `certificate.revoked` and
`certificate.expiring`.
"""
