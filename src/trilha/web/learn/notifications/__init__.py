"""The bell: what a person was reminded of, and where else reminders go."""
