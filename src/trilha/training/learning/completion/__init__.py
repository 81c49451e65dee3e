"""What a learner has reached in a course, and the completion of the enrollment."""
