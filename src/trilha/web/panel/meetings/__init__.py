"""/admin/meetings: the services that make links of video calls."""
