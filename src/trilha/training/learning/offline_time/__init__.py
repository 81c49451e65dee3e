"""Study time without a connection, which a browser reports when it is back online."""
