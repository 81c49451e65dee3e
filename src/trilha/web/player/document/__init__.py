"""Documents: a PDF, page by page. The page reports how long each was visible."""
