"""What a tenant may use: active people, storage, calls of the API and e-mails. Owns `tenant_quotas`.

Only the operator sets quotas, with a command or the operator API.
"""
