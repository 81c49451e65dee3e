"""/admin/certificates: lists, shows, downloads, revokes and reissues certificates."""
