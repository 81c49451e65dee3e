"""States and profiles: documents of clients, about an activity, an agent, or both."""
