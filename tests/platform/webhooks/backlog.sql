-- A worker's bad day: {tenants} tenants with ten endpoints each, {finished} finished deliveries, and one tenant
-- that has {due} of everything that can be due. Rows of another table are not needed to be there.
SET session_replication_role = replica;
INSERT INTO tenants (id, slug, name, created_at)
SELECT md5('t' || t)::uuid, 't' || t, 'T', now() FROM generate_series(1, {tenants}) AS t;
INSERT INTO tenant_homes SELECT id FROM tenants;
INSERT INTO webhook_endpoints (tenant_id, id, url, events, active, created_at, updated_at)
SELECT md5('t' || t)::uuid, md5(t || ' e' || e)::uuid, 'https://e.example/', '{{user.created}}', e < 9, now(), now()
FROM generate_series(1, {tenants}) AS t, generate_series(1, 10) AS e;
INSERT INTO webhook_queues (tenant_id, endpoint_id, due_at)
SELECT tenant_id, id, CASE WHEN id = md5('1 e1')::uuid THEN now()
                           WHEN active AND random() < 0.5 THEN now() + interval '1 hour' END
FROM webhook_endpoints;
INSERT INTO webhook_deliveries (tenant_id, endpoint_id, event_id, event_type, status, created_at, updated_at)
SELECT md5('t' || 1 + n % {tenants})::uuid, md5(1 + n % {tenants} || ' e' || 1 + n / {tenants} % 10)::uuid,
       gen_random_uuid(), 'user.created', 'DELIVERED', now(), now()
FROM generate_series(1, {finished}) AS n;
INSERT INTO webhook_deliveries (tenant_id, endpoint_id, event_id, event_type, status, next_attempt_at, created_at,
                                updated_at)
SELECT md5('t1')::uuid, md5('1 e' || e)::uuid, md5('v' || n)::uuid, 'user.created', 'PENDING', now(), now(), now()
FROM generate_series(1, {due}) AS n, (VALUES (1), (10)) AS endpoint (e);
-- Half of the endpoints wait for another attempt.
INSERT INTO webhook_deliveries (tenant_id, endpoint_id, event_id, event_type, status, next_attempt_at, created_at,
                                updated_at)
SELECT tenant_id, endpoint_id, gen_random_uuid(), 'user.created', 'PENDING', due_at, now(), now()
FROM webhook_queues WHERE due_at > now();
INSERT INTO events (tenant_id, id, type, data, created_at, relayed)
SELECT md5('t' || 1 + n % {tenants})::uuid, gen_random_uuid(), 'user.created', '{{}}', now(), n % 50 > 0
FROM generate_series(1, {finished} / 10) AS n;
INSERT INTO events (tenant_id, id, type, data, created_at)
SELECT md5('t1')::uuid, md5('v' || n)::uuid, 'user.created', '{{}}', now() FROM generate_series(1, {due}) AS n;
INSERT INTO webhook_replays (tenant_id, endpoint_id, since, until, created_at)
SELECT md5('t1')::uuid, md5('1 e1')::uuid, now(), now(), now() FROM generate_series(1, {due});
-- One tenant has many that are due, every second one waits for another attempt, and all have a history.
INSERT INTO mail_messages (tenant_id, id, kind, locale, to_email, subject, content, next_attempt_at, created_at,
                           updated_at)
SELECT md5('t1')::uuid, gen_random_uuid(), 'test', 'en', 'a@example.com', 'T', 'x', now(), now(), now()
FROM generate_series(1, {due});
INSERT INTO mail_messages (tenant_id, id, kind, locale, to_email, subject, content, next_attempt_at, created_at,
                           updated_at)
SELECT md5('t' || 2 * t)::uuid, gen_random_uuid(), 'test', 'en', 'a@example.com', 'T', 'x',
       now() + interval '1 hour', now(), now()
FROM generate_series(1, {tenants} / 2) AS t, generate_series(1, 20);
INSERT INTO mail_messages (tenant_id, id, kind, locale, to_email, subject, status, sent_at, created_at, updated_at)
SELECT md5('t' || 1 + n % {tenants})::uuid, gen_random_uuid(), 'test', 'en', 'a@example.com', 'T', 'SENT', now(),
       now(), now()
FROM generate_series(1, {finished} / 10) AS n;
INSERT INTO idempotency_keys (tenant_id, credential_id, key, request, status, expires_at)
SELECT md5('t1')::uuid, gen_random_uuid(), n::text, '', 200, now() - interval '1 second'
FROM generate_series(1, {due}) AS n;
INSERT INTO oauth_tokens (tenant_id, jti, client_id, kid, scopes, expires_at, created_at)
SELECT md5('t1')::uuid, gen_random_uuid(), gen_random_uuid(), 'k', '{{}}', now() - interval '1 second', now()
FROM generate_series(1, {due});
INSERT INTO enrollments (tenant_id, user_id, course_id, expires_at, created_at, updated_at)
SELECT md5('t1')::uuid, gen_random_uuid(), gen_random_uuid(), now() - interval '1 second', now(), now()
FROM generate_series(1, {due});
SET session_replication_role = origin;
