"""Articles: a text with images; how far it was read, and for how long, is told as it goes on."""
