-- A large company, filled in by bench.company: {people} people, {enrollments} enrollments, and as much of all
-- else as goes with them. Every row follows from its number. Foreign keys hold by construction and are not
-- checked one by one; what triggers keep is written by hand.
SET session_replication_role = replica;
SET synchronous_commit = off;
SET work_mem = '128MB';
SET maintenance_work_mem = '256MB';

INSERT INTO tenants (id, slug, name, created_at)
VALUES ('{tenant}', 'bench', 'Companhia Brasileira de Transportes', now() - interval '4 years');

-- 500 units: one at the top, ten below it, and trees below these.
INSERT INTO business_units (tenant_id, id, parent_id, name, code, created_at, updated_at)
SELECT '{tenant}'::uuid, md5('unit ' || n)::uuid,
       CASE WHEN n = 0 THEN NULL WHEN n <= 10 THEN md5('unit 0')::uuid
            ELSE md5('unit ' || 1 + (n - 11) / 7)::uuid END,
       (ARRAY['Filial', 'Depósito', 'Terminal', 'Escritório', 'Oficina'])[1 + n % 5] || ' ' || n, 'U' || n,
       now() - interval '4 years', now() - interval '4 years'
FROM generate_series(0, {units} - 1) AS n;

-- What somebody is called says nothing of where they work or whether they are still there: each is drawn by
-- itself, from a hash of the person's number.
CREATE FUNCTION pg_temp.drawn(n bigint, what int, among int) RETURNS int LANGUAGE sql IMMUTABLE AS
    'SELECT ((hashint8extended(n, what) % among + among) % among)::int';

-- A name in ten has Maria in it; Zoroastro is three people.
INSERT INTO users (tenant_id, id, email, name, role, status, department, job_title, business_unit_id,
                   employee_number, xp, last_login_at, cpf, cpf_sealed, cpf_fingerprint, phone, cnh,
                   must_change_password, created_at, updated_at)
SELECT '{tenant}'::uuid, md5('user ' || n)::uuid, 'pessoa.' || n || '@companhia.example',
       CASE WHEN n % 33333 = 33 THEN 'Zoroastro' ELSE first END || ' ' || second || ' ' || last,
       CASE WHEN n = 1 OR n BETWEEN 100 AND 400 THEN 'gestor'
            WHEN n = 2 OR n BETWEEN 401 AND 600 THEN 'instrutor'
            WHEN n = 0 OR n BETWEEN 10 AND 20 THEN 'admin' ELSE 'learner' END,
       CASE WHEN n > 600 AND n <> {known} AND state < 5 THEN 'INACTIVE'
            WHEN n > 600 AND n <> {known} AND state < 7 THEN 'SUSPENDED' ELSE 'ACTIVE' END,
       (ARRAY['Operações', 'Logística', 'Comercial', 'Financeiro', 'Manutenção'])[1 + pg_temp.drawn(n, 5, 5)],
       (ARRAY['Motorista', 'Analista', 'Técnico', 'Assistente', 'Conferente'])[1 + pg_temp.drawn(n, 6, 5)],
       CASE WHEN n = {known} THEN md5('unit 1')::uuid
            WHEN pg_temp.drawn(n, 7, 100) < 97 THEN md5('unit ' || pg_temp.drawn(n, 8, {units}))::uuid END,
       'M' || lpad(n::text, 6, '0'), n % 3000,
       CASE WHEN pg_temp.drawn(n, 9, 4) > 0 THEN now() - pg_temp.drawn(n, 10, 31536000) * interval '1 second' END,
       '***.***.***-' || lpad((n % 100)::text, 2, '0'), '\x00', sha256(('cpf ' || n)::bytea),
       '(**) *****-' || lpad((n % 10000)::text, 4, '0'),
       CASE WHEN pg_temp.drawn(n, 11, 3) = 0 THEN jsonb_build_object('numero', '*********09', 'categoria', 'D',
           'ear', true, 'validade', (current_date - 60 + pg_temp.drawn(n, 12, 1800))::text) END,
       n = 3, at, at + interval '1 day'
FROM (SELECT n, now() - interval '4 years' + n * (interval '1400 days' / {people}) AS at,
             pg_temp.drawn(n, 1, 100) AS state,
             CASE WHEN pg_temp.drawn(n, 2, 100) < 5 THEN 'Maria' ELSE (ARRAY['Ana', 'João', 'José', 'Antônio', 'Carlos',
                 'Paulo', 'Pedro', 'Lucas', 'Luiz', 'Marcos', 'Luís', 'Gabriel', 'Rafael', 'Francisca',
                 'Daniel', 'Marcelo', 'Bruno', 'Eduardo', 'Adriana', 'Juliana', 'Márcia', 'Fernanda',
                 'Patrícia', 'Aline', 'Sandra', 'Camila', 'Amanda', 'Bruna', 'Jéssica', 'Letícia', 'Júlia',
                 'Luciana', 'Vanessa', 'Mariana', 'Gabriela', 'Vera', 'Vitória', 'Larissa', 'Cláudia',
                 'Beatriz'])[1 + pg_temp.drawn(n, 2, 40)] END AS first,
             CASE WHEN pg_temp.drawn(n, 3, 100) < 6 THEN 'Maria' ELSE (ARRAY['de Souza', 'Aparecida', 'Cristina', 'Lima',
                 'Gomes', 'Ribeiro', 'Carvalho', 'Almeida', 'Lopes', 'Soares', 'Fernandes', 'Vieira', 'Barbosa',
                 'Rocha', 'Dias', 'Nascimento', 'Andrade', 'Moreira', 'Nunes', 'Marques', 'Machado', 'Mendes',
                 'Freitas', 'Cardoso', 'Ramos', 'Gonçalves', 'Santana', 'Teixeira'])[1 + pg_temp.drawn(n, 3, 28)]
                 END AS second,
             (ARRAY['Silva', 'Santos', 'Oliveira', 'Souza', 'Pereira', 'Silva', 'Costa', 'Rodrigues', 'Santos',
                 'Nogueira', 'Araújo', 'Melo', 'Silva', 'Martins', 'Correia', 'Pinto', 'Moura', 'Cavalcanti',
                 'Monteiro', 'Campos'])[1 + pg_temp.drawn(n, 4, 20)] AS last
      FROM generate_series(0, {people} - 1) AS n) AS t;

INSERT INTO user_words (tenant_id, word, name_key, user_id)
SELECT tenant_id, word, name_key, id FROM users, search_words(name, email, employee_number) AS word;

-- Person 1 manages unit 1 and some half of the company below; the other managers one unit each.
INSERT INTO business_unit_managers (tenant_id, business_unit_id, user_id)
SELECT '{tenant}'::uuid, md5('unit ' || n)::uuid, md5('user 1')::uuid FROM generate_series(1, 5) AS n
UNION ALL
SELECT '{tenant}'::uuid, md5('unit ' || n % {units})::uuid, md5('user ' || n)::uuid
FROM generate_series(100, 400) AS n;

-- 500 groups: one of 20,000 people, the others of about a hundred.
INSERT INTO learning_groups (tenant_id, id, name, description, created_at, updated_at)
SELECT '{tenant}'::uuid, md5('group ' || n)::uuid, 'Turma ' || lpad(n::text, 3, '0'), 'Quem aprende junto',
       now() - interval '3 years', now() - interval '3 years'
FROM generate_series(0, {groups} - 1) AS n;

INSERT INTO learning_group_members (tenant_id, group_id, user_id, added_at)
SELECT '{tenant}'::uuid, md5('group ' || CASE WHEN place < 20 THEN 0 ELSE 1 + n % ({groups} - 1) END)::uuid,
       md5('user ' || n)::uuid, now() - interval '1 year'
FROM (SELECT n, pg_temp.drawn(n, 13, 100) AS place FROM generate_series(0, {people} - 1) AS n) AS drawn
WHERE place < 60;

INSERT INTO categories (tenant_id, id, name)
SELECT '{tenant}'::uuid, md5('category ' || n)::uuid, 'Categoria ' || n FROM generate_series(0, 39) AS n;

-- Two of three are in the catalog.
INSERT INTO courses (tenant_id, id, title, description, slug, status, difficulty, duration_hours, tags, regulation,
                     category_id, self_enrollment, created_at, updated_at)
SELECT '{tenant}'::uuid, md5('course ' || n)::uuid,
       (ARRAY['Segurança no trabalho', 'Direção defensiva', 'Atendimento ao cliente', 'Primeiros socorros',
              'Proteção de dados', 'Carga perigosa', 'Liderança', 'Planilhas'])[1 + n % 8] || ', parte ' || n,
       'O que fazer antes, durante e depois. ' || repeat('Um parágrafo de descrição. ', 8), 'curso-' || n,
       CASE WHEN n > 100 AND n % 20 = 0 THEN 'DRAFT' WHEN n > 100 AND n % 20 = 1 THEN 'ARCHIVED'
            ELSE 'PUBLISHED' END,
       (ARRAY['BEGINNER', 'INTERMEDIATE', 'ADVANCED'])[1 + n % 3], 8, ARRAY['segurança', 'obrigatório'],
       CASE WHEN n % 8 = 1 THEN '{{"kind": "traffic", "required_profile_fields": ["cpf", "cnh"]}}'::jsonb END,
       md5('category ' || n % 40)::uuid, (ARRAY['OPEN', 'APPROVAL', 'CLOSED'])[1 + n % 3], at, at
FROM (SELECT n, now() - interval '4 years' + n * interval '12 hours' AS at
      FROM generate_series(0, {courses} - 1) AS n) AS t;

INSERT INTO all_modules (tenant_id, id, course_id, position, title, type, duration_minutes, created_at, updated_at)
SELECT '{tenant}'::uuid, md5('module ' || course * 8 + n)::uuid, md5('course ' || course)::uuid, n,
       'Módulo ' || n, 'ARTICLE', 30, now() - interval '3 years', now() - interval '3 years'
FROM generate_series(0, {courses} - 1) AS course, generate_series(1, 8) AS n;

-- Person 2 teaches the course that most people take, and seven more.
INSERT INTO course_teachers (tenant_id, course_id, user_id)
SELECT '{tenant}'::uuid, md5('course ' || n)::uuid, md5('user 2')::uuid FROM generate_series(0, 7) AS n
UNION ALL
SELECT '{tenant}'::uuid, md5('course ' || n)::uuid, md5('user ' || 401 + n % 200)::uuid
FROM generate_series(0, {courses} - 1) AS n;

-- Ten places a person, of which the first is in one of three courses that everybody takes; person 7 has a place
-- in every course instead. Any course may be an early or a late one of theirs; rows are written as time goes by.
INSERT INTO enrollments (tenant_id, id, user_id, course_id, status, current, progress, score,
                         started_at, completed_at, expires_at, created_at, updated_at)
SELECT '{tenant}'::uuid, md5('enrollment ' || n)::uuid, md5('user ' || person)::uuid, md5('course ' || course)::uuid,
       status, NULLIF(status <> 'EXPIRED', false),
       CASE status WHEN 'COMPLETED' THEN 100 WHEN 'NOT_STARTED' THEN 0 ELSE n % 97 END,
       CASE WHEN status <> 'NOT_STARTED' THEN n % 101 END,
       CASE WHEN status <> 'NOT_STARTED' THEN at + interval '1 day' END,
       CASE WHEN status = 'COMPLETED' THEN at + interval '9 days' END,
       CASE WHEN status = 'EXPIRED' THEN at + interval '9 days'
            WHEN n % 2 = 0 THEN now() + (n * 7919 % 63072000) * interval '1 second' END,
       at, at + interval '9 days'
FROM (SELECT n, person, course,
             now() - interval '1110 days' + n * 7919 % {enrollments} * (interval '1100 days' / {enrollments}) AS at,
             (ARRAY['COMPLETED', 'COMPLETED', 'NOT_STARTED', 'COMPLETED', 'IN_PROGRESS', 'COMPLETED', 'COMPLETED',
                    'IN_PROGRESS', 'COMPLETED', 'EXPIRED'])[1 + (n * 7 + n / 10) % 10] AS status
      FROM (SELECT n, n % {people} AS person,
                   CASE WHEN n >= {people} THEN 10 + (n % {people} * 31 + n / {people} * 197) % ({courses} - 10)
                        WHEN n % 10 < 6 THEN 0 WHEN n % 10 < 9 THEN 1 ELSE 2 END AS course
            FROM generate_series(0::bigint, {enrollments} - 1) AS n) AS drawn
      WHERE person <> 7
      UNION ALL
      SELECT {own} + n, 7, n, now() - interval '3 years' + n * interval '12 hours',
             (ARRAY['COMPLETED', 'IN_PROGRESS', 'NOT_STARTED', 'COMPLETED', 'EXPIRED'])[1 + n % 5]
      FROM generate_series(0::bigint, {courses} - 1) AS n) AS t
ORDER BY at;

-- 300 learning paths of ten courses: half of all people are on the first, a few hundred on each of the others,
-- person 7 on twenty. One in twenty of the first lacks documents.
INSERT INTO learning_paths (tenant_id, id, title, slug, description, status, in_order, deadline_days, created_at,
                            updated_at)
SELECT '{tenant}'::uuid, md5('path ' || n)::uuid, 'Trilha ' || lpad(n::text, 3, '0'), 'trilha-' || n,
       'Do primeiro dia ao último.', 'PUBLISHED', n % 2 = 1, CASE WHEN n % 3 = 0 THEN 400 END,
       now() - interval '2 years', now() - interval '2 years'
FROM generate_series(0, {paths} - 1) AS n;

INSERT INTO learning_path_courses (tenant_id, path_id, course_id, position)
SELECT '{tenant}'::uuid, md5('path ' || n)::uuid, md5('course ' || (n * 7 + place) % {courses})::uuid, place
FROM generate_series(0, {paths} - 1) AS n, generate_series(1, 10) AS place;

INSERT INTO learning_path_audiences (tenant_id, path_id, group_id, created_at)
SELECT '{tenant}'::uuid, md5('path ' || n)::uuid, md5('group ' || n)::uuid, now() - interval '2 years'
FROM generate_series(0, {paths} - 1) AS n;

INSERT INTO learning_path_assignments (tenant_id, path_id, user_id, assigned_at, due_at, completed_at)
SELECT '{tenant}'::uuid, md5('path ' || path)::uuid, md5('user ' || person)::uuid,
       now() - interval '1 year' + person * interval '3 minutes',
       CASE WHEN person % 3 = 0 THEN now() - interval '5 days' WHEN person % 3 = 1 THEN now() + interval '60 days' END,
       CASE WHEN person % 4 = 1 THEN now() - interval '10 days' END
FROM (SELECT 0 AS path, n AS person FROM generate_series(1, {people} - 1, 2) AS n
      UNION SELECT 1 + n % ({paths} - 1), n FROM generate_series(0, {people} - 1) AS n
      UNION SELECT n, 7 FROM generate_series(0, 19) AS n) AS t;

INSERT INTO learning_path_problems (tenant_id, path_id, user_id, course_id, code, at)
SELECT '{tenant}'::uuid, md5('path 0')::uuid, md5('user ' || n)::uuid, md5('course 1')::uuid,
       'regulatory_profile_missing', now() - interval '1 year'
FROM generate_series(1, {people} - 1, 20) AS n;

-- 5,000 enrollments to review.
INSERT INTO review_flags (tenant_id, enrollment_id, module_id, kind, detail, flagged_at)
SELECT '{tenant}'::uuid, md5('enrollment ' || n)::uuid,
       md5('module ' || CASE WHEN n < {own} THEN n % 8000 ELSE (n - {own}) * 8 + 1 END)::uuid,
       'TOO_FAST', '{{"seconds": 20, "median_seconds": 1800, "others": 200}}'::jsonb,
       now() - n % 5000 * interval '1 hour'
FROM (SELECT n FROM generate_series(0::bigint, {enrollments} - 1, GREATEST(1, {enrollments} / 5000)) AS n
      UNION ALL SELECT {own} + 5) AS t;

INSERT INTO course_counters (tenant_id, course_id, merged, enrollments, not_started, in_progress, completed, scored,
                             score, progress)
SELECT tenant_id, course_id, true, count(*), count(*) FILTER (WHERE status = 'NOT_STARTED'),
       count(*) FILTER (WHERE status = 'IN_PROGRESS'), count(*) FILTER (WHERE status = 'COMPLETED'),
       count(score), COALESCE(sum(score::numeric), 0), sum(progress::numeric)
FROM enrollments GROUP BY 1, 2;

INSERT INTO course_completions (tenant_id, course_id, month, merged, completed)
SELECT tenant_id, course_id, date_trunc('month', completed_at AT TIME ZONE 'America/Sao_Paulo')::date, true, count(*)
FROM enrollments WHERE status = 'COMPLETED' GROUP BY 1, 2, 3 ORDER BY 3;

-- Younger than what the worker removes; the newest is event 0.
INSERT INTO events (tenant_id, id, type, data, created_at, sequence, relayed)
SELECT '{tenant}'::uuid, md5('event ' || n)::uuid, type,
       CASE type WHEN 'user.updated' THEN jsonb_build_object('user_id', person, 'changed', '["department"]'::jsonb)
            ELSE jsonb_build_object('user_id', person, 'course_id', course,
                 'enrollment_id', md5('enrollment ' || n)::uuid) END,
       at, (extract(epoch FROM at) * 1000000)::bigint, true
FROM (SELECT n, now() - n * (interval '29 days' / {events}) AS at,
             (ARRAY['enrollment.created', 'enrollment.started', 'enrollment.created', 'enrollment.completed',
                    'user.updated'])[1 + n % 5] AS type,
             md5('user ' || n * 7919 % {people})::uuid AS person,
             md5('course ' || n % {courses})::uuid AS course
      FROM generate_series(0::bigint, {events} - 1) AS n) AS t
ORDER BY n DESC;

INSERT INTO audit_records (tenant_id, id, action, target_id, target_name, actor_kind, actor, source, detail,
                           created_at)
SELECT '{tenant}'::uuid, md5('audit ' || n)::uuid, action,
       CASE WHEN action LIKE 'enrollment.%' THEN md5('enrollment ' || n)::uuid ELSE person END, '',
       CASE WHEN n % 2 = 0 THEN 'api_key' ELSE 'session' END,
       CASE WHEN n % 2 = 0 THEN md5('key ' || n % 5) ELSE md5('user ' || CASE
           WHEN action = 'session.started' THEN n * 7919 % {people} WHEN n % 3 = 0 THEN 0 ELSE 100 + n % 300 END)
           END::uuid::text,
       '10.20.' || n % 200 || '.' || n / 200 % 250,
       CASE WHEN action LIKE 'enrollment.%' THEN jsonb_build_object('user_id', person, 'course_id', course)
            WHEN action = 'user.updated' THEN '{{"changed": ["department"]}}'::jsonb ELSE '{{}}'::jsonb END,
       now() - n * (interval '1110 days' / {audited})
FROM (SELECT n, (ARRAY['enrollment.created', 'enrollment.created', 'session.started', 'user.updated',
                       'enrollment.created', 'session.started', 'user.created', 'enrollment.created',
                       'enrollment.expiry_changed', 'user.suspended'])[1 + n % 10] AS action,
             md5('user ' || n * 7919 % {people})::uuid AS person,
             md5('course ' || n % {courses})::uuid AS course
      FROM generate_series(0::bigint, {audited} - 1) AS n) AS t
ORDER BY n DESC;

INSERT INTO api_keys (tenant_id, id, name, hint, scopes, expires_at, revoked_at, last_used_at, created_at, updated_at)
SELECT '{tenant}'::uuid, md5('key ' || n)::uuid, 'Integração ' || n, 'trl_live_…' || lpad(n::text, 4, '0'),
       ARRAY['users:read', 'enrollments:write'],
       CASE WHEN n % 4 = 0 THEN now() + n * interval '2 days' END, CASE WHEN n % 9 = 8 THEN now() END, now(),
       now() - n * interval '3 days', now() - n * interval '3 days'
FROM generate_series(0, 199) AS n;

INSERT INTO oauth_clients (tenant_id, id, name, scopes, tokens_from, created_at, updated_at)
SELECT '{tenant}'::uuid, md5('client ' || n)::uuid, 'Sistema ' || n, ARRAY['users:read'], now() - interval '1 year',
       now() - n * interval '3 days', now() - n * interval '3 days'
FROM generate_series(0, 99) AS n;

INSERT INTO webhook_endpoints (tenant_id, id, url, events, description, active, failure_count, created_at,
                               updated_at)
SELECT '{tenant}'::uuid, md5('webhook ' || n)::uuid, 'https://hooks.example.com/' || n, ARRAY['certificate.revoked'], 'ERP ' || n, n < 4,
       n % 3, now() - interval '2 years' + n * interval '1 day', now()
FROM generate_series(0, 4) AS n;

INSERT INTO webhook_deliveries (tenant_id, id, endpoint_id, event_id, event_type, event_sequence, status, attempts,
                                cycle_attempts, attempt_log, next_attempt_at, delivered_at, created_at, updated_at)
SELECT '{tenant}'::uuid, md5('delivery ' || n)::uuid,
       md5('webhook ' || CASE WHEN n % 10 < 7 THEN 0 WHEN n % 10 < 9 THEN 1 ELSE 2 END)::uuid, e.id, e.type,
       e.sequence, status, 1, 1,
       jsonb_build_array(jsonb_build_object('number', 1, 'at', '2026-11-20T09:30:00.000Z', 'http_status',
           CASE status WHEN 'DELIVERED' THEN 200 ELSE 500 END, 'error', NULL, 'duration_ms', n % 400,
           'response_body', 'ok')),
       CASE WHEN status = 'PENDING' THEN now() + interval '1 hour' END,
       CASE WHEN status = 'DELIVERED' THEN e.created_at END, e.created_at, e.created_at
FROM (SELECT n, md5('event ' || n)::uuid AS event_id,
             CASE WHEN n % 40 = 1 THEN 'DEAD_LETTER' WHEN n % 200 = 2 THEN 'PENDING' ELSE 'DELIVERED' END AS status
      FROM generate_series(0, {deliveries} - 1) AS n) AS t
JOIN events AS e ON e.tenant_id = '{tenant}' AND e.id = event_id;

INSERT INTO imports (tenant_id, id, file_name, path, dry_run, keeps_file, mapping, dialect, state, failure, rows,
                     done, created, refused, actor_kind, actor, source, created_at, finished_at)
SELECT '{tenant}'::uuid, md5('import ' || n)::uuid, 'pessoas-' || n || '.csv',
       CASE WHEN state IN ('DRAFT', 'CHECKED') THEN '{file}' END, state = 'CHECKED', true,
       '{{"nome": "name", "e-mail": "email"}}', '{{"encoding": "utf-8", "separator": ";"}}', state,
       CASE WHEN state = 'FAILED' THEN 'unreadable' END, 10000, done, done / 20 * 19, done - done / 20 * 19,
       'session', md5('user 0')::uuid::text, '10.20.0.1', now() - n * interval '12 hours',
       CASE WHEN state IN ('DONE', 'FAILED') THEN now() - n * interval '12 hours' END
FROM (SELECT n, state, CASE state WHEN 'RUNNING' THEN 3200 WHEN 'DONE' THEN 10000 ELSE 0 END AS done
      FROM (SELECT n, COALESCE((ARRAY['DONE', 'CHECKED', 'DRAFT', 'RUNNING', 'FAILED'])[n + 1], 'DONE') AS state
            FROM generate_series(0, 299) AS n) AS numbered) AS t;

INSERT INTO import_problems (tenant_id, import_id, line, number, "column", code, message, value)
SELECT '{tenant}'::uuid, md5('import 0')::uuid, 2 + n * 19, 1, 'cpf', 'invalid_cpf', 'This is not a CPF.', '***'
FROM generate_series(0, 499) AS n;

INSERT INTO mail_messages (tenant_id, id, kind, locale, to_email, subject, status, attempts, error, sent_at,
                           created_at, updated_at)
SELECT '{tenant}'::uuid, md5('mail ' || n)::uuid, 'invitation', 'pt-BR', 'pessoa.' || n * 7919::bigint % {people} ||
       '@companhia.example', 'Seu acesso', CASE WHEN failed THEN 'FAILED' ELSE 'SENT' END, 1,
       CASE WHEN failed THEN 'recipient_refused' END, CASE WHEN NOT failed THEN at END, at, at
FROM (SELECT n, n % 100 = 3 AS failed, now() - n * interval '3 minutes' AS at
      FROM generate_series(0, 49999) AS n) AS t;

INSERT INTO sessions (tenant_id, id, user_id, fingerprint, epoch, second_factor, agent, source, last_seen_at,
                      idle_ends_at, expires_at, created_at)
SELECT '{tenant}'::uuid, md5('session ' || n)::uuid, md5('user ' || CASE WHEN n < 30 THEN 7 ELSE n END)::uuid,
       sha256(('session ' || n)::bytea), 0, 'none', 'Mozilla/5.0 (Windows NT 10.0) Firefox/140.0',
       '10.20.' || n % 200 || '.1', now(), now() + interval '2 days', now() + interval '2 days', now()
FROM generate_series(0, {sessions} - 1) AS n;

RESET session_replication_role;

-- A file of enrollments that is there, of each kind of viewer who may ask for one.
INSERT INTO exports (tenant_id, id, type, wanted, status, rows, progress, file_key, file_size, file_sha256,
                     user_id, created_at, finished_at, expires_at)
SELECT '{tenant}'::uuid, md5('export ' || n)::uuid, 'xlsx', '{{}}', 'READY', {enrollments}, 100, 'exports/none',
       1000, '\x00', md5('user ' || n % 3)::uuid, now(), now(), now() + interval '10 years'
FROM generate_series(0, 59) AS n;
