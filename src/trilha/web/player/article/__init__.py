"""Articles: a text with images. The page reports how far it was read, and for how long."""
