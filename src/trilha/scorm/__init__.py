"""SCORM packages: what is in one, and what its content says of a learner. Owns `packages`.

It knows nothing of courses or learners: `package` reads what a file holds, `runtime` what content commits.
"""

from trilha.scorm import errors as errors
