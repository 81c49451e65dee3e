"""/learn/security: sessions, password and two-step verification."""
