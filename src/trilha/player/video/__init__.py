"""Videos: played in the browser's own player; what was played is told as it goes on."""
