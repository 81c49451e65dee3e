-- Single logout by SAML, and looking after what providers publish.
ALTER TABLE sso_saml
    DROP COLUMN slo_binding, -- it is always the Redirect binding
    ADD COLUMN slo_answer_url text, -- where answers to the provider's own requests go, beside slo_url
    ADD COLUMN looked_at timestamptz(3); -- when metadata and certificates were last looked after
CREATE INDEX ON sso_saml (looked_at NULLS FIRST);
CREATE POLICY unscoped ON sso_saml FOR SELECT TO trilha_unscoped USING (true);
GRANT SELECT (tenant_id, looked_at) ON sso_saml TO trilha_unscoped;
-- As the provider named the person last: it wants to be told so when they sign out.
ALTER TABLE sso_identities ADD COLUMN name_id jsonb;
