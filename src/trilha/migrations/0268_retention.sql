-- How many days a tenant's logs are kept. NULL is the installation's own period, or without end.
ALTER TABLE tenant_settings
    ADD COLUMN audit_log_days    integer CHECK (audit_log_days >= 1827),
    ADD COLUMN learning_log_days integer CHECK (learning_log_days >= 1827),
    ADD COLUMN sign_in_days      integer CHECK (sign_in_days >= 184),
    ADD COLUMN request_log_days  integer CHECK (request_log_days >= 184),
    ADD COLUMN event_days        integer CHECK (event_days >= 1),
    ADD COLUMN delivery_days     integer CHECK (delivery_days >= 1);
GRANT SELECT (audit_log_days, learning_log_days, sign_in_days, request_log_days, event_days, delivery_days)
    ON tenant_settings TO trilha_unscoped;

-- When the entries of a log were removed, because the tenant keeps them no longer. The head stays.
ALTER TABLE learning_heads ADD COLUMN retired_at timestamptz(3);

-- The application may remove entries of the logs, but none that the law asks to keep.
GRANT DELETE ON audit_records, learning_log TO trilha_app;
CREATE POLICY retention ON audit_records AS RESTRICTIVE FOR DELETE TO trilha_app
    USING (created_at < now() - CASE WHEN starts_with(action, 'session.') THEN interval '184 days'
                                     ELSE interval '1827 days' END);
CREATE POLICY retention ON learning_log AS RESTRICTIVE FOR DELETE TO trilha_app
    USING (at < now() - interval '1827 days');
