"""Certificates of training elsewhere that wait for an answer."""
