-- Filled in by bench.world. Foreign keys hold by construction and are not checked one by one.
SET session_replication_role = replica;

INSERT INTO tenants (id, slug, name, created_at) VALUES ('{tenant}', 'bench', 'Bench', '2023-12-01');

INSERT INTO courses (tenant_id, id, title, description, slug, status, difficulty, duration_hours, tags,
                     created_at, updated_at)
SELECT '{tenant}', md5('course ' || n)::uuid, 'Segurança no trabalho, parte ' || n,
       'O que fazer antes, durante e depois. ' || repeat('Um parágrafo de descrição. ', 8), 'curso-' || n,
       'PUBLISHED', 'BEGINNER', 8, ARRAY['segurança', 'obrigatório'],
       timestamptz '2023-12-01' + n * interval '1 minute', timestamptz '2023-12-01' + n * interval '1 minute'
FROM generate_series(0, {courses} - 1) AS n;

INSERT INTO all_modules (tenant_id, course_id, position, title, type, duration_minutes, created_at, updated_at)
SELECT '{tenant}', id, 1, 'Introdução', 'ARTICLE', 30, created_at, updated_at FROM courses;

INSERT INTO users (tenant_id, id, email, name, role, department, job_title, employee_number, xp,
                   last_login_at, cpf, phone, created_at, updated_at)
SELECT '{tenant}', md5('user ' || n)::uuid, 'pessoa.' || n || '@example.com', 'Ana Maria de Souza ' || n,
       CASE WHEN n % 50 = 0 THEN 'gestor' ELSE 'learner' END, 'Operações', 'Analista', n::text, n % 3000,
       CASE WHEN n % 2 = 0 THEN timestamptz '2025-09-01' + n * interval '1 second' END,
       '***.***.***-' || lpad((n % 100)::text, 2, '0'), '(**) *****-' || lpad((n % 10000)::text, 4, '0'),
       at, at + interval '1 day'
FROM (SELECT n, timestamptz '2024-01-01' + n * (interval '600 days' / {users}) AS at
      FROM generate_series(0, {users} - 1) AS n) AS t;

-- What search is answered from. A trigger keeps it elsewhere, and none runs here.
INSERT INTO user_words (tenant_id, word, name_key, user_id)
SELECT tenant_id, word, name_key, id FROM users, search_words(name, email, employee_number) AS word;

INSERT INTO enrollments (tenant_id, id, user_id, course_id, status, current, progress, score,
                         started_at, completed_at, expires_at, created_at, updated_at)
SELECT '{tenant}', md5('enrollment ' || n)::uuid, md5('user ' || person)::uuid,
       md5('course ' || (person * 31 + n / {enrolled} * 37) % {courses})::uuid,
       status, NULLIF(status <> 'EXPIRED', false),
       CASE status WHEN 'COMPLETED' THEN 100 WHEN 'NOT_STARTED' THEN 0 ELSE n % 97 END,
       CASE WHEN status <> 'NOT_STARTED' THEN n % 101 END,
       CASE WHEN status <> 'NOT_STARTED' THEN at + interval '1 day' END,
       CASE WHEN status = 'COMPLETED' THEN at + interval '9 days' END,
       CASE WHEN status = 'EXPIRED' THEN at + interval '20 days'
            WHEN n % 2 = 0 THEN timestamptz '2099-01-01' + n * interval '1 minute' END,
       at, at + interval '9 days'
FROM (SELECT n, n % {enrolled} AS person,
             timestamptz '2024-01-01' + n * (interval '600 days' / {enrollments}) AS at,
             (ARRAY['NOT_STARTED', 'NOT_STARTED', 'IN_PROGRESS', 'COMPLETED', 'COMPLETED', 'IN_PROGRESS',
                    'NOT_STARTED', 'COMPLETED', 'IN_PROGRESS', 'EXPIRED'])[1 + (n * 7 + n / 10) % 10] AS status
      FROM generate_series(0::bigint, {enrollments} - 1) AS n) AS t;

INSERT INTO certificates (tenant_id, id, code, user_id, enrollment_id, course_id, holder_name,
                          holder_cpf_masked, course_title, issued_by, locale, workload_minutes, score,
                          started_at, completed_at, syllabus, paper, issued_at, expires_at, created_at,
                          updated_at)
SELECT '{tenant}', md5('certificate ' || n)::uuid, upper(left(md5('certificate ' || n), 16)), e.user_id, e.id,
       e.course_id, 'Ana Maria de Souza', '***.***.***-25', 'Segurança no trabalho', 'Bench', 'pt-BR', 480,
       e.score, e.started_at, e.completed_at, '[{{"title": "Introdução", "minutes": 30}}]',
       '{{"design": "classic", "orientation": "landscape"}}', e.completed_at,
       CASE WHEN n % 2 = 0 THEN e.completed_at + interval '5 years' END, e.completed_at, e.completed_at
FROM generate_series(0::bigint, {enrollments} - 1) AS n
JOIN enrollments e ON e.tenant_id = '{tenant}' AND e.id = md5('enrollment ' || n)::uuid
WHERE e.status = 'COMPLETED';

INSERT INTO course_deadlines (tenant_id, course_id, month, overdue, expiring)
SELECT tenant_id, course_id, date_trunc('month', at AT TIME ZONE 'America/Sao_Paulo')::date,
       sum(overdue), sum(expiring)
FROM (SELECT tenant_id, course_id, expires_at AS at, 1 AS overdue, 0 AS expiring FROM enrollments
      WHERE status = 'EXPIRED' AND expires_at IS NOT NULL
      UNION ALL
      SELECT tenant_id, course_id, expires_at, 0, 1 FROM certificates
      WHERE revoked_at IS NULL AND expires_at IS NOT NULL) AS ending
GROUP BY 1, 2, 3;

INSERT INTO course_counters (tenant_id, course_id, merged, enrollments, not_started, in_progress, completed, scored,
                             score, progress)
SELECT tenant_id, course_id, true, count(*), count(*) FILTER (WHERE status = 'NOT_STARTED'),
       count(*) FILTER (WHERE status = 'IN_PROGRESS'), count(*) FILTER (WHERE status = 'COMPLETED'),
       count(score), COALESCE(sum(score::numeric), 0), sum(progress::numeric)
FROM enrollments GROUP BY tenant_id, course_id;

RESET session_replication_role;
