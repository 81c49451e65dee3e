"""/admin/packages: SCORM packages are sent, told about, and made modules of."""
