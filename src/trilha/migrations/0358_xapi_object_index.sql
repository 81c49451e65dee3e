-- outside a transaction
-- Statements whose actor or object is this, in the order of lists. An activity that is the parent or a category
-- of millions of statements is the object of few, and the primary key leads through all of them.
CREATE INDEX CONCURRENTLY IF NOT EXISTS xapi_references_direct_stored ON xapi_references (tenant_id, key, stored)
    WHERE is_direct;
