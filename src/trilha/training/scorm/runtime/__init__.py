"""Reads what content reports about a learner. No I/O, no clock, and nothing about courses.

`elements.clean` validates a commit's body; `mapping.normalise` turns it into a state and `interactions.read`
into answers; `resume` prepares the next launch. SCORM 1.2 RTE; SCORM 2004 RTE 4th Edition. Where content in
the field differs from both, we accept what it does.
"""
