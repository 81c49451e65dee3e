"""/admin/groups: people who learn together, and who they are."""
