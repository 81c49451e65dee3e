"""/learn/profile: what is on record of whoever is signed in, and how pages speak to them."""
