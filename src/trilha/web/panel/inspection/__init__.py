"""/admin/inspection: what an inspector asks for, and where it is."""
