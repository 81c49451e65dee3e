"""The foundation of all features. It imports none of them."""
