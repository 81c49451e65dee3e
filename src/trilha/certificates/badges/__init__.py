"""Open Badges 3.0: a signed credential for each certificate, and what verifies it: the issuer, its keys, and
the lists of what was revoked. Table: badge_keys."""
