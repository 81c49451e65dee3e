"""/admin/audit: who did what, to what, when and from where; filtered, and as a file."""
