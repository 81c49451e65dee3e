"""/admin/groups: learning groups and their members."""
