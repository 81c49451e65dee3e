"""/admin/enrollments: who takes which course; enrolling one person or many."""
