-- A tenant as companies are: names of which some are common and some rare, departments, units, a feed of events
-- and its deliveries. Filled in by bench.growth. Foreign keys hold by construction and are not checked.
SET session_replication_role = replica;

INSERT INTO tenants (id, slug, name, created_at) VALUES ('{tenant}', 'growth', 'Growth', '2023-12-01');

INSERT INTO categories (tenant_id, id, name)
SELECT '{tenant}', md5('category ' || n)::uuid, 'Categoria ' || n FROM generate_series(0, 19) AS n;

INSERT INTO business_units (tenant_id, id, name, created_at, updated_at)
SELECT '{tenant}', md5('unit ' || n)::uuid, 'Unidade ' || n, '2023-12-01', '2023-12-01'
FROM generate_series(0, 39) AS n;

-- Of forty courses one is of the second category, and three in all have the rare word.
INSERT INTO courses (tenant_id, id, title, description, slug, status, category_id, duration_hours, created_at,
                     updated_at)
SELECT '{tenant}', md5('course ' || n)::uuid,
       CASE WHEN n % ({courses} / 3) = 5 THEN 'Alquimia ' ELSE 'Segurança no trabalho, parte ' END || n,
       repeat('Um parágrafo de descrição. ', 8), 'curso-' || n, 'PUBLISHED',
       md5('category ' || CASE WHEN n % 40 = 0 THEN 1 ELSE 0 END)::uuid, 8, at, at
FROM (SELECT n, timestamptz '2023-12-01' + n * interval '1 minute' AS at
      FROM generate_series(0, {courses} - 1) AS n) AS t;

INSERT INTO all_modules (tenant_id, course_id, position, title, type, duration_minutes, created_at, updated_at)
SELECT '{tenant}', id, 1, 'Introdução', 'ARTICLE', 30, created_at, updated_at FROM courses;

-- `first` and `last` are drawn with the square of a number between 0 and 1: those at the front are common.
-- Quitéria is one in 400, whatever the size; five people are called Wilhelmina, and thirty are of Arquivo.
INSERT INTO users (tenant_id, id, email, name, role, department, job_title, employee_number, business_unit_id,
                   created_at, updated_at)
SELECT '{tenant}', md5('user ' || n)::uuid,
       CASE WHEN n % 10 = 3 THEN left(lower(first), 1) ELSE lower(first) || '.' END || lower(last) || n
           || '@example.com',
       first || ' ' || middle || ' ' || last, 'learner',
       CASE WHEN n % ({users} / 30) = 11 THEN 'Arquivo' ELSE 'Departamento ' || n % 12 END, 'Analista',
       n::text, md5('unit ' || n % 40)::uuid, at, at + interval '1 day'
FROM (SELECT n, timestamptz '2024-01-01' + n * (interval '600 days' / {users}) AS at,
             CASE WHEN n % ({users} / 5) = 7 THEN 'Wilhelmina' WHEN n % 400 = 9 THEN 'Quiteria'
                  ELSE names[1 + floor(40 * power(n * 7919 % 10007 / 10007.0, 2))::int] END AS first,
             names[1 + floor(40 * power(n * 104729 % 10009 / 10009.0, 2))::int] AS middle,
             lasts[1 + floor(40 * power(n * 15485863 % 10037 / 10037.0, 2))::int] AS last
      FROM generate_series(0::bigint, {users} - 1) AS n, (SELECT
          regexp_split_to_array($$Maria Ana Jose Joao Antonio Francisco Carlos Paulo Pedro Lucas Luiz Marcos Luis
              Gabriel Rafael Daniel Marcelo Bruno Eduardo Felipe Adriana Juliana Marcia Fernanda
              Patricia Aline Sandra Camila Amanda Bruna Jessica Leticia Julia Mariana Luciana
              Vanessa Vera Vitoria Larissa Beatriz$$, '\s+') AS names,
          regexp_split_to_array($$Silva Santos Oliveira Souza Rodrigues Ferreira Alves Pereira Lima Gomes Costa
              Ribeiro Martins Carvalho Almeida Lopes Soares Fernandes Vieira Barbosa Rocha Dias
              Nascimento Andrade Moreira Nunes Marques Machado Mendes Freitas Cardoso Ramos
              Goncalves Santana Teixeira Araujo Melo Barros Moura Xavier$$, '\s+') AS lasts
      ) AS drawn) AS t;

-- What search is answered from. A trigger keeps it elsewhere, and none runs here.
INSERT INTO user_words (tenant_id, word, name_key, user_id)
SELECT tenant_id, word, name_key, id FROM users, search_words(name, email, employee_number) AS word;

INSERT INTO all_enrollments (tenant_id, id, user_id, course_id, status, current, progress, score, started_at,
                             completed_at, expires_at, created_at, updated_at)
SELECT '{tenant}', md5('enrollment ' || n)::uuid, md5('user ' || n)::uuid,
       md5('course ' || n * 31 % {courses})::uuid, status, NULLIF(status <> 'EXPIRED', false),
       CASE status WHEN 'COMPLETED' THEN 100 WHEN 'NOT_STARTED' THEN 0 ELSE n % 97 END,
       CASE WHEN status <> 'NOT_STARTED' THEN n % 101 END,
       CASE WHEN status <> 'NOT_STARTED' THEN at + interval '1 day' END,
       CASE WHEN status = 'COMPLETED' THEN at + interval '9 days' END,
       CASE WHEN status = 'EXPIRED' THEN at + interval '20 days'
            WHEN n % 2 = 0 THEN timestamptz '2099-01-01' + n * interval '1 minute' END,
       at, at + interval '9 days'
FROM (SELECT n, timestamptz '2024-01-01' + n * (interval '600 days' / {users}) AS at,
             (ARRAY['NOT_STARTED', 'NOT_STARTED', 'IN_PROGRESS', 'COMPLETED', 'COMPLETED', 'IN_PROGRESS',
                    'NOT_STARTED', 'COMPLETED', 'IN_PROGRESS', 'EXPIRED'])[1 + (n * 7 + n / 10) % 10] AS status
      FROM generate_series(0::bigint, {users} - 1) AS n) AS t;

INSERT INTO course_counters (tenant_id, course_id, merged, enrollments, not_started, in_progress, completed, scored,
                             score, progress)
SELECT tenant_id, course_id, true, count(*), count(*) FILTER (WHERE status = 'NOT_STARTED'),
       count(*) FILTER (WHERE status = 'IN_PROGRESS'), count(*) FILTER (WHERE status = 'COMPLETED'),
       count(score), COALESCE(sum(score::numeric), 0), sum(progress::numeric)
FROM all_enrollments GROUP BY tenant_id, course_id;

-- Of the last days, as older ones are not shown.
INSERT INTO events (tenant_id, id, type, data, created_at, sequence, position, relayed)
SELECT '{tenant}', md5('event ' || n)::uuid, CASE WHEN n % 7 = 0 THEN 'user.created' ELSE 'user.updated' END,
       jsonb_build_object('user_id', md5('user ' || n)::uuid, 'changed', jsonb_build_array('name')), at,
       extract(epoch FROM at) * 1000000, extract(epoch FROM at) * 1000000, true
FROM (SELECT n, date_trunc('second', now()) - interval '20 days' + n * (interval '19 days' / {users}) AS at
      FROM generate_series(0::bigint, {users} - 1) AS n) AS t;

INSERT INTO webhook_endpoints (tenant_id, id, url, events, active, created_at, updated_at)
VALUES ('{tenant}', md5('endpoint')::uuid, 'https://example.com/hook', ARRAY['user.updated'], true, '2024-01-01',
        '2024-01-01');
INSERT INTO webhook_deliveries (tenant_id, id, endpoint_id, event_id, event_type, status, attempts, attempt_log,
                                delivered_at, created_at, updated_at)
SELECT '{tenant}', md5('delivery ' || n)::uuid, md5('endpoint')::uuid, id, type, 'DELIVERED', 1,
       '[{{"number": 1, "at": "2026-01-01T00:00:00.000Z", "http_status": 200, "error": null, "duration_ms": 12,
          "response_body": null}}]', created_at,
       created_at, created_at
FROM (SELECT *, row_number() OVER (ORDER BY sequence) - 1 AS n FROM events) AS event;

RESET session_replication_role;
