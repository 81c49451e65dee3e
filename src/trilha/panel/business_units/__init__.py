"""/admin/units: the parts of the company as a tree, and who manages them."""
