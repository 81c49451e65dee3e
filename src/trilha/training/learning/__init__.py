"""Learning: what learners do in a course, what of it counts, and the evidence of both.

`launches` opens a module in an attempt (`attempts`). The player then reports under that launch: `commits` of
SCORM content, `quizzes`, `studies` and `voice_answers`, which share `player_reports`. People grade answers in
`grading`. `completion` computes progress and completes the enrollment, and `evidence` logs everything. Also
here: `held_work`, `previews`, `review_flags`.

Owns `launches`, `attempts`, `module_progress`, `interactions`, `learning_heads`, `learning_log`,
`learner_clocks`, `launch_traces`, `previews`, `sequencing_states`, `unapplied_reports`, `quiz_attempts`,
`quiz_answers`, `voice_recordings`, `module_observations`, `review_flags`, `review_checks`; emits
`assessment.attempted`, `.passed`, `.failed`, `voice_activity.completed`, and through `enrollments`
`enrollment.started`, `.progress`, `.completed`.
"""

from trilha.training.learning import errors as errors
