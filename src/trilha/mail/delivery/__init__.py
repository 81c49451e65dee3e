"""From the row to the mail server, or to the folder that stands in for one."""
