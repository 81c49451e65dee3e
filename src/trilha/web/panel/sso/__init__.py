"""/admin/sso: connections to the company's provider, domains, the requirement to use it, and the sign-in
log.
"""
