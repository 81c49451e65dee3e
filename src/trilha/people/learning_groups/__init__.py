"""Groups of people who train together. Owns `learning_groups` and `learning_group_members`; emits no
event.
"""

from trilha.people.learning_groups import errors as errors
