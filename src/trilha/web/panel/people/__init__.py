"""People in the panel: search, profiles, sign-in, and history."""
