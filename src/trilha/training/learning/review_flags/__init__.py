"""Reviews of unusual learning: the worker raises flags, and people look at them."""
