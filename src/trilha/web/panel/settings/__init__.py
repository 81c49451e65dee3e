"""/admin/settings: a company's name, appearance and sign-in."""
