"""/admin/practice: who is to be assessed in which practical part, the assessments, and the checklists."""
