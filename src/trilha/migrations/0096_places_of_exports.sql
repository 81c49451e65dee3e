-- An export that waits or is being made has a place of its own, so that no two requests that come together take
-- the last one.
ALTER TABLE exports ADD COLUMN place smallint;
UPDATE exports SET place = numbered.place
FROM (SELECT tenant_id, id, row_number() OVER (PARTITION BY tenant_id ORDER BY created_at, id) AS place
      FROM exports WHERE status IN ('PENDING', 'RUNNING')) AS numbered
WHERE exports.tenant_id = numbered.tenant_id AND exports.id = numbered.id;
CREATE UNIQUE INDEX exports_places ON exports (tenant_id, place) WHERE status IN ('PENDING', 'RUNNING');
