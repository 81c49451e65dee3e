"""/admin/settings: how a company is called, looks, and signs in."""
