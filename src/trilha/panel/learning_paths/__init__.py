"""/admin/paths: courses in an order, whom they are for, and how far everybody is."""
