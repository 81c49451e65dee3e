"""/learn/catalog: courses in which people enroll themselves."""
