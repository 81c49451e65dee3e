"""/login: pages for signing in, and for what has to be done before anything else."""
