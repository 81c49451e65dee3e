"""/admin/scim: provisioning by an identity provider: tokens, its requests, and setup guides."""
