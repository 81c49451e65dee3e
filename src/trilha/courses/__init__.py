"""What is taught. Owns `courses`, `modules`, `categories`; emits `course.created`, `course.updated`."""

from trilha.courses import errors as errors
