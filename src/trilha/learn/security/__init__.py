"""/learn/security: where one is signed in, the password and the second factor."""
