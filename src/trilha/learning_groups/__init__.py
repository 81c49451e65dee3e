"""People who learn together. Owns `learning_groups` and `learning_group_members`; emits no event."""

from trilha.learning_groups import errors as errors
