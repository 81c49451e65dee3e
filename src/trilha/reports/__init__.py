"""How training goes, counted. Owns no table; reads enrollments and courses."""
