"""What every feature stands on. Knows no feature."""
