"""The audit record: who changed which credential, when, and from where."""
