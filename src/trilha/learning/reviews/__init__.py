"""Signs of unusual learning, and people's decisions on them."""
