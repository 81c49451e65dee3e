"""/learn/certificates: the viewer's certificates, to download and share."""
