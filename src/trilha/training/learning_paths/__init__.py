"""Learning paths: ordered courses that are assigned to people, learning groups and business units.

Owns `learning_paths`, `learning_path_courses`, `learning_path_audiences`, `learning_path_assignments`,
`learning_path_problems`, `learning_path_rollouts`, `learning_path_changes`; emits `learning_path.assigned`
and `learning_path.completed`.
"""

from trilha.training.learning_paths import errors as errors
