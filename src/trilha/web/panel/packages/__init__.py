"""/admin/packages: uploading SCORM packages, their reports, and turning them into modules."""
