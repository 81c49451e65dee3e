"""HTTP: surfaces and their routes, and the way of a request through them."""
