"""The catalog: published courses in which people may enroll themselves."""
