"""/admin/identity: photos that a person decides on, people who are identified by hand, and the settings."""
