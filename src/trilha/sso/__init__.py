"""Federated sign-in."""
