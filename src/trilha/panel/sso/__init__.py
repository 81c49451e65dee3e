"""/admin/sso: signing in with the company's own provider: connections, domains, who has to, and how it went."""
