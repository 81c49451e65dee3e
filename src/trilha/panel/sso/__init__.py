"""/admin/sso: connections to the company's own provider, domains, who has to sign in so, and how it went."""
