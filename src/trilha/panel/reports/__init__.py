"""/admin/reports: how training goes, what is missing for regulated courses, and files of it."""
