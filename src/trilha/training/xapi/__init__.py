"""The learning record store: the Experience API (xAPI) in the versions 1.0.3 and 2.0.0 (IEEE 9274.1.1).

Owns the tables `xapi_…` except `xapi_keys`, and emits no event. Other features record statements of their own
with `actions.record`, in their own transaction, and learn of new ones as a `Listener` of `StatementWriter`. A
launch's credential is confined to its learner and registration: see `access.Confinement`.
"""
