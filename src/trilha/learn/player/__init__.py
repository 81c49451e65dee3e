"""The player: a bar of ours, and a frame on the content origin in which a module runs."""
