-- Of several connections for one domain, discovery leads to the oldest, as the start of a sign-in does.
GRANT SELECT (created_at) ON sso_connections TO trilha_unscoped;
