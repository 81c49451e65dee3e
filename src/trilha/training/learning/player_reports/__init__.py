"""What all reports of the player share: how they are parsed, ordered and refused."""
