"""What an enrollment has reached, and its completion."""
