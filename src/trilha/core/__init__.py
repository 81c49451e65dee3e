"""What the features are built on. Imports none of them."""
