"""Passkeys (WebAuthn): registering them, signing in with them, and signing papers with them."""
