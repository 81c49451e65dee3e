"""People in the panel: finding them, their profiles, how they sign in, and what became of them."""
