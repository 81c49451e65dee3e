"""SCORM in the player: the runtime (scorm-again) in a page of ours, around the frame with the content."""
