"""Grades that people give to answers, by voice or in writing, and their correction."""
