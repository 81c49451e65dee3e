"""What learners do in a course: what counts of it, what is still missing, and the proof of both.

Owns `launches`, `attempts`, `module_progress`, `interactions`, `learning_heads`, `learning_log`,
`learner_clocks`, `launch_traces`, `quiz_attempts`, `quiz_answers`, `voice_recordings`,
`module_observations`, `review_flags`, `review_checks`; emits `assessment.attempted`, `.passed`, `.failed`,
`voice_activity.completed`, and through `enrollments` `enrollment.started`, `.progress`, `.completed`.
"""

from trilha.learning import errors as errors
