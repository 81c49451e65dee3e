-- Imports are looked for tenant by tenant, so that one tenant's queue hides no other's.
DROP INDEX packages_due;
CREATE INDEX packages_due ON packages (tenant_id, created_at) WHERE archive IS NOT NULL;
