"""What SCORM content commits."""
