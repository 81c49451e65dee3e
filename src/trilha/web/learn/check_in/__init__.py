"""/learn/check-in and /api/check-in: people record that they are in the room, with the code that is shown
there.
"""
