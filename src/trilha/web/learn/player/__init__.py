"""The player: our bar, and below it a frame on the content origin in which a module runs."""
