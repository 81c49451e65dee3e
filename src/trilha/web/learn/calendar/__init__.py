"""/learn/calendar: the secret address of a person's calendar; /calendar: the calendar itself."""
