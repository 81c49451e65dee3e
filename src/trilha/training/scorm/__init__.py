"""SCORM packages: their contents, and what their content reports about a learner. Owns `packages`.

It knows nothing about courses or learners: `package` reads the files, `runtime` reads commits.
"""

from trilha.training.scorm import errors as errors
