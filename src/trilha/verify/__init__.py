"""/verify: whether a certificate is good, told to whoever holds its paper or its file."""
