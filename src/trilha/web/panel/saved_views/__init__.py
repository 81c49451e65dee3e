"""/admin/views: saves, renames, shares and deletes the filters of a list under a name."""
