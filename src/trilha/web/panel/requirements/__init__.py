"""/admin/requirements: who must hold which course or path, where everybody stands, and reminding people."""
