"""What content says of a learner, as values: no I/O, no clock, nothing of courses.

A commit's body goes through `elements.clean`; `mapping.normalise` makes a state of what is left, and
`interactions.read` the answers; `resume` is what the next launch is given. SCORM 1.2 RTE; SCORM 2004 RTE 4th
Edition. Where content in the field differs from both, what it does is taken.
"""
