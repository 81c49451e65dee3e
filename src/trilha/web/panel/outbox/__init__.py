"""/admin/outbox: e-mails and their delivery."""
