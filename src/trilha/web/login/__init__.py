"""/login: pages for signing in, and for the steps a person must finish before anything else."""
