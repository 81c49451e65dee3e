"""SCORM in the player: a page of ours runs scorm-again and contains the frame with the content."""
