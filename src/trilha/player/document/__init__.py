"""Documents: a PDF, page by page; how long each was shown is told as it goes on."""
