"""/learn/my-data: what is kept of whoever is signed in, and how to get it."""
