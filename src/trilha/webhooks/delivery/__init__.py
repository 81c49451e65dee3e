"""From an event to a receiver: the queue, the dispatcher, one attempt over HTTP, its signatures."""
