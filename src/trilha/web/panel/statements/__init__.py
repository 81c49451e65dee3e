"""/admin/statements: the learning records (xAPI statements) of the company, for administrators."""
