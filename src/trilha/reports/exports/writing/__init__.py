"""What turns CSV into other forms, in a process of its own: see __main__."""
