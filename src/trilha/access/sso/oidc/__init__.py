"""OpenID Connect 1.0: Trilha as a relying party."""
