"""What is taught. Owns `courses`, `modules`, `categories`; emits `course.created`, `course.updated`."""
