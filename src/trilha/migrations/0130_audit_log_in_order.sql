-- The audit log of one actor and of one address, in the order of its list.
DROP INDEX audit_records_by_actor;
CREATE INDEX audit_records_by_actor ON audit_records (tenant_id, actor, created_at, id);
DROP INDEX audit_records_by_source;
CREATE INDEX audit_records_by_source ON audit_records (tenant_id, source, created_at, id);
