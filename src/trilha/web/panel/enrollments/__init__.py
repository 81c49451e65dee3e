"""/admin/enrollments: lists, shows and exports enrollments; enrolls one person or many."""
