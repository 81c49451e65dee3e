"""Voice answers: their recordings and their grades."""
