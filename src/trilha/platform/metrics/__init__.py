"""/metrics: figures for Prometheus, for whoever has the operator's token."""
