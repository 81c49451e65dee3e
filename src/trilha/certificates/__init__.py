"""Proof of what was completed. Certificates are issued once courses can be played."""
