"""/verify: tells anybody who has a certificate's code or file whether the certificate is valid."""
