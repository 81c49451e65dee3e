"""Open Badges 3.0: a signed credential for each certificate, with the issuer's profile, keys and status lists
that verify it. Table: badge_keys.
"""
