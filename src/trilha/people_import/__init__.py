"""People from a file of rows. Owns `imports` and `import_problems`.

What it does to people is done by `users.actions`, which emits the events.
"""

from trilha.people_import import errors as errors
