"""HTTP: surfaces, routes, and the handling of requests."""
