"""Voice answers: learners record them, and people listen to them and grade them."""
