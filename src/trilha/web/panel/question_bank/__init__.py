"""/admin/questions: the question bank, its import and export."""
