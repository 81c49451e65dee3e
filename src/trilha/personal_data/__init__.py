"""What is kept of a person: exported for that person, and erased (LGPD, Lei 13.709/2018, art. 18).

Owns no table. `parts.PARTS` is what the export holds and `actions.ERASURES` what is erased: a feature that
keeps something of people adds to both.
"""
