"""What all reports of the player have in common."""
