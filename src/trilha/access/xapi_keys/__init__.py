"""Keys with which clients call /xapi by HTTP Basic. Owns `xapi_keys`; emits no event."""
