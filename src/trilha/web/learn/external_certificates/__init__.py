"""Uploads a certificate of training elsewhere."""
