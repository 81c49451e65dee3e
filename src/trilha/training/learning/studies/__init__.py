"""Videos that learners watch, and documents and articles that they read."""
