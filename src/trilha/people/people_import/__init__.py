"""Imports of people from CSV files. Owns `imports` and `import_problems`.

Changes to people go through `users.actions`, which emits the events.
"""

from trilha.people.people_import import errors as errors
