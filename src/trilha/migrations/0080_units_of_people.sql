-- Whether somebody is in one of many units is asked of thousands of people, one after the other, of whom nothing else
-- is read.
CREATE INDEX users_unit_of_each ON users (tenant_id, id) INCLUDE (business_unit_id);
