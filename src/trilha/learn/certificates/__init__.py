"""/learn/certificates: what a person was issued, to keep and to show to others."""
