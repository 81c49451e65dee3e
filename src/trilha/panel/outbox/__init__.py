"""/admin/outbox: e-mails that were written, and what became of them."""
