-- What the people of bench.company learn from, and what they have done in it. It follows company.sql, whose
-- modules it gives something to show: in each course two parts of a package, a video, a document, two
-- articles and two quizzes.
SET session_replication_role = replica;
SET synchronous_commit = off;
SET work_mem = '128MB';
SET maintenance_work_mem = '256MB';

-- A thousand packages that are ready, of thirty parts each; then 200 of which nothing came, and one that is read.
INSERT INTO packages (tenant_id, id, sha256, file_name, size, state, progress, title, version, edition, report,
                      manifest, files, actor_kind, actor, source, created_at, finished_at)
SELECT '{tenant}'::uuid, md5('package ' || n)::uuid, encode(sha256(n::text::bytea), 'hex'), 'pacote-' || n || '.zip',
       48000000, state, CASE state WHEN 'RUNNING' THEN 40 ELSE 100 END, 'Pacote ' || n,
       CASE WHEN state <> 'RUNNING' THEN '1.2' END, CASE WHEN state <> 'RUNNING' THEN '1.2' ELSE '' END,
       CASE WHEN state <> 'RUNNING' THEN report || jsonb_build_object('verdict', CASE state WHEN 'READY' THEN 'accepted'
           ELSE 'refused' END) END,
       CASE state WHEN 'READY' THEN manifest END, CASE state WHEN 'READY' THEN files END, 'session',
       md5('user ' || CASE WHEN n % 2 = 0 THEN 2 ELSE 401 + n % 200 END)::uuid::text, '10.0.0.1',
       now() - n * interval '1 hour', CASE WHEN state <> 'RUNNING' THEN now() - n * interval '1 hour' END
FROM (SELECT n, CASE WHEN n < 1000 THEN 'READY' WHEN n < 1200 THEN 'REFUSED' ELSE 'RUNNING' END AS state
      FROM generate_series(0, 1200) AS n) AS numbered,
     (SELECT jsonb_build_object('version', '1.2', 'edition', '1.2', 'tool', 'Articulate Storyline', 'scos', 30,
                 'assets', 0, 'files', 400, 'size', 48000000, 'hosts', jsonb_build_array('cdn.example.com'),
                 'findings', jsonb_agg(jsonb_build_object('severity', 'warning', 'code', 'resource_missing',
                     'where', 'imsmanifest.xml', 'values', jsonb_build_object(), 'what', '', 'fix', ''))) AS report
      FROM generate_series(1, 12)) AS reported,
     (SELECT jsonb_build_object('version', '1.2', 'edition', '1.2', 'title', 'Segurança no trabalho', 'items',
                 jsonb_agg(jsonb_build_object('identifier', 'item-' || part, 'title', 'Parte ' || part, 'sco', true,
                     'launch', jsonb_build_object('path', part || '/index.html')))) AS manifest
      FROM generate_series(1, 30) AS part) AS parts,
     (SELECT jsonb_object_agg(part || '/index.html', jsonb_build_object('number', part, 'size', 4000,
                 'type', 'text/html')) AS files
      FROM generate_series(1, 400) AS part) AS stored;

-- Of each course a video with captions, a document and three images.
INSERT INTO media_files (tenant_id, id, sha256, media_type, size, name, seconds, pages, created_at)
SELECT '{tenant}'::uuid, md5('file ' || course * 6 + n)::uuid, encode(sha256(('file ' || course * 6 + n)::bytea), 'hex'),
       (ARRAY['video/mp4', 'text/vtt', 'application/pdf', 'image/webp', 'image/webp', 'image/webp'])[n + 1], 9000000,
       'arquivo-' || course || '-' || n, CASE n WHEN 0 THEN 300 END, CASE n WHEN 2 THEN 24 END, now() - interval '3 years'
FROM generate_series(0, {courses} - 1) AS course, generate_series(0, 5) AS n;

UPDATE all_modules AS m SET type = numbered.type, content = numbered.content, body = numbered.body
FROM (SELECT md5('module ' || course * 8 + n)::uuid AS id,
             (ARRAY['SCORM', 'VIDEO', 'DOCUMENT', 'ARTICLE', 'QUIZ', 'SCORM', 'ARTICLE', 'QUIZ'])[n] AS type,
             CASE WHEN n IN (1, 6) THEN jsonb_build_object('item', 'item-' || n, 'package_id',
                      md5('package ' || course % 1000)::uuid)
                  WHEN n = 2 THEN jsonb_build_object('file_id', md5('file ' || course * 6)::uuid, 'captions',
                      jsonb_build_array(jsonb_build_object('language', 'pt-BR', 'file_id',
                          md5('file ' || course * 6 + 1)::uuid)))
                  WHEN n = 3 THEN jsonb_build_object('file_id', md5('file ' || course * 6 + 2)::uuid)
                  WHEN n IN (5, 8) THEN jsonb_build_object('quiz_id', md5('quiz ' || course * 8 + n)::uuid)
                  ELSE jsonb_build_object('images', jsonb_build_array(md5('file ' || course * 6 + 3)::uuid,
                      md5('file ' || course * 6 + 4)::uuid, md5('file ' || course * 6 + 5)::uuid)) END AS content,
             CASE WHEN n IN (4, 7) THEN repeat('## Antes de subir' || chr(10) || chr(10) ||
                 repeat('Confira o cinto, o capacete e o ponto de ancoragem. ', 6) || chr(10) || chr(10), 12) END AS body
      FROM generate_series(0, {courses} - 1) AS course, generate_series(1, 8) AS n) AS numbered
WHERE m.tenant_id = '{tenant}'::uuid AND m.id = numbered.id;

INSERT INTO quizzes (tenant_id, id, pass_mark, attempts, shuffle_questions, shuffle_choices, feedback, created_at,
                     updated_at)
SELECT '{tenant}'::uuid, md5('quiz ' || course * 8 + n)::uuid, 70, CASE WHEN n = 8 THEN 3 END, true, true,
       (ARRAY['answers', 'result', 'never'])[1 + course % 3], now() - interval '3 years', now() - interval '3 years'
FROM generate_series(0, {courses} - 1) AS course, unnest(ARRAY[5, 8]) AS n;

-- Ten questions of all kinds in each quiz, a hundred in the first one of courses 0 and 5.
INSERT INTO questions (tenant_id, id, quiz_id, position, kind, text, weight, feedback, answer_key, created_at, updated_at)
SELECT '{tenant}'::uuid, md5('question ' || quiz * 1000 + k)::uuid, md5('quiz ' || quiz)::uuid, k + 1, kind,
       'O que é preciso conferir antes de subir, no caso ' || k || '?', 1 + k % 3, 'Confira sempre o ponto de ancoragem.',
       CASE WHEN kind IN ('single', 'multiple') THEN jsonb_build_object('choices', jsonb_build_array(
                jsonb_build_object('id', 'a', 'text', 'O cinto e o capacete', 'right', true),
                jsonb_build_object('id', 'b', 'text', 'A previsão do tempo'),
                jsonb_build_object('id', 'c', 'text', 'A cor da escada'),
                jsonb_build_object('id', 'd', 'text', 'Nada disso')))
            WHEN kind = 'true_false' THEN jsonb_build_object('right', true)
            WHEN kind = 'numeric' THEN jsonb_build_object('value', 2.5, 'tolerance', 0.1)
            WHEN kind = 'fill_in' THEN jsonb_build_object('accepted', jsonb_build_array('cinto', 'o cinto'))
            ELSE jsonb_build_object('longest_seconds', 120) END,
       now() - interval '3 years', now() - interval '3 years'
FROM (SELECT quiz, k, (ARRAY['single', 'multiple', 'true_false', 'numeric', 'fill_in', 'voice'])[1 + k % 6] AS kind
      FROM generate_series(0, {courses} - 1) AS course, unnest(ARRAY[5, 8]) AS n,
           LATERAL (SELECT course * 8 + n AS quiz) AS numbered,
           generate_series(0, CASE WHEN quiz IN (5, 45) THEN 99 ELSE 9 END) AS k) AS asked;

-- Who has begun: most of the people in the three courses that everybody takes, and person 7 in all courses.
CREATE TEMP TABLE begun AS
SELECT n, md5('enrollment ' || n)::uuid AS enrollment_id, course, person, e.status, e.started_at AS at
FROM (SELECT n, n AS person, CASE WHEN n % 10 < 6 THEN 0 WHEN n % 10 < 9 THEN 1 ELSE 2 END AS course
      FROM generate_series(0::bigint, {people} - 1) AS n WHERE n <> 7
      UNION ALL SELECT {own} + n, 7, n FROM generate_series(0::bigint, {courses} - 1) AS n) AS numbered
JOIN enrollments AS e ON e.tenant_id = '{tenant}'::uuid AND e.id = md5('enrollment ' || n)::uuid
WHERE e.status <> 'NOT_STARTED';

-- Everybody the first part of the package, one in four the other kinds, some the quiz twice.
CREATE TEMP TABLE tried AS
SELECT b.*, position, number, md5('attempt ' || n || '-' || position || '-' || number)::uuid AS id,
       md5('module ' || course * 8 + position)::uuid AS module_id
FROM begun AS b, generate_series(1, 5) AS position, generate_series(1, 2) AS number
WHERE (position = 1 OR n % 4 = 0 OR person = 7) AND (number = 1 OR position = 5 AND (n % 20 = 0 OR person = 7));

INSERT INTO attempts (tenant_id, id, enrollment_id, module_id, number, package_id, item, version, settings, completion,
                      success, score, progress, cmi, terminated, told, newest_launch, started_at, ended_at)
SELECT '{tenant}'::uuid, id, enrollment_id, module_id, number,
       CASE position WHEN 1 THEN md5('package ' || course % 1000)::uuid END, CASE position WHEN 1 THEN 'item-1' END,
       CASE position WHEN 1 THEN '1.2' END,
       CASE position WHEN 2 THEN jsonb_build_object('file_id', md5('file ' || course * 6)::uuid)
                     WHEN 3 THEN jsonb_build_object('file_id', md5('file ' || course * 6 + 2)::uuid)
                     ELSE jsonb_build_object() END,
       CASE status WHEN 'COMPLETED' THEN 'completed' ELSE 'incomplete' END,
       CASE WHEN position NOT IN (1, 5) THEN 'unknown' WHEN n % 7 = 0 THEN 'failed' ELSE 'passed' END,
       CASE WHEN position IN (1, 5) THEN n % 101 END, CASE status WHEN 'COMPLETED' THEN 100 ELSE n % 97 END,
       CASE position WHEN 1 THEN jsonb_build_object('suspend_data', repeat('3a7f', 200))::text END, true, 'attempted',
       position * 10 + number, at, CASE status WHEN 'COMPLETED' THEN at + interval '1 hour' END
FROM tried;

INSERT INTO module_progress (tenant_id, enrollment_id, module_id, progress, score, started_at, completed_at)
SELECT '{tenant}'::uuid, enrollment_id, module_id, CASE status WHEN 'COMPLETED' THEN 100 ELSE n % 97 END,
       CASE WHEN position IN (1, 5) THEN n % 101 END, at, CASE status WHEN 'COMPLETED' THEN at + interval '1 hour' END
FROM tried WHERE number = 1;

INSERT INTO learning_heads (tenant_id, enrollment_id, credited_seconds, told_progress)
SELECT '{tenant}'::uuid, enrollment_id, 3600, 40 FROM begun;

-- Packages are opened twice; that of course 5 by person 7 a thousand times.
INSERT INTO launches (tenant_id, id, number, enrollment_id, attempt_id, fingerprint, review, last_sequence,
                      credited_seconds, beat_at, seen_at, ended_at, source, agent, started_at)
SELECT '{tenant}'::uuid, id, number, enrollment_id, attempt_id, sha256(id::text::bytea), false, 40, 600, at, at,
       CASE WHEN number % 3 > 0 THEN at END, '10.20.' || number % 200 || '.1',
       'Mozilla/5.0 (Windows NT 10.0; Win64; x64; rv:140.0) Gecko/20100101 Firefox/140.0', at
FROM (SELECT md5('launch ' || n || '-' || position || '-' || opened)::uuid AS id, position * 10 + opened AS number,
             enrollment_id, id AS attempt_id, at
      FROM tried, generate_series(1, CASE position WHEN 1 THEN 2 ELSE 1 END) AS opened WHERE tried.number = 1
      UNION ALL
      SELECT md5('launch ' || k)::uuid, 1000 + k, enrollment_id, id, at + k * interval '10 minutes'
      FROM tried, generate_series(0, 999) AS k WHERE n = {own} + 5 AND position = 1) AS opened;

-- A trace as long as it may be, of the first ten of these; a short one of every tenth.
INSERT INTO launch_traces (tenant_id, launch_id, number, calls, at)
SELECT '{tenant}'::uuid, md5('launch ' || k)::uuid, batch, calls, now() - interval '1 year'
FROM generate_series(0, 999) AS k,
     generate_series(1, CASE WHEN k < 10 THEN 200 WHEN k % 10 = 0 THEN 3 ELSE 0 END) AS batch,
     (SELECT jsonb_agg(jsonb_build_object('at', c * 700, 'name', 'LMSSetValue', 'element', 'cmi.core.lesson_location',
                 'value', 'slide-' || c, 'result', 'true', 'error', CASE WHEN c % 17 = 0 THEN 201 ELSE 0 END)) AS calls
      FROM generate_series(1, 50) AS c) AS said;

INSERT INTO interactions (tenant_id, attempt_id, index, interaction_id, type, description, response, raw_response,
                          correct_response, result, latency_seconds, weighting, client_time, updated_at)
SELECT '{tenant}'::uuid, id, k, 'pergunta-' || k, 'choice', 'O que conferir antes de subir?', 'O cinto', 'a', 'a',
       CASE WHEN (n + k) % 4 = 0 THEN 'incorrect' ELSE 'correct' END, 12.5, 1, '14:02:11', at
FROM tried, generate_series(0, CASE WHEN n = {own} + 5 THEN 999 ELSE 9 END) AS k WHERE position = 1;

CREATE TEMP TABLE asked AS
SELECT quiz_id, jsonb_agg(jsonb_build_object('id', id, 'kind', kind, 'text', text, 'weight', weight, 'feedback', feedback)
                          || answer_key ORDER BY position) AS questions
FROM questions WHERE position <= 10 OR quiz_id = md5('quiz 45')::uuid GROUP BY quiz_id;

-- One in four of the quizzes that were handed in awaits somebody who listens to an answer.
CREATE TEMP TABLE answered AS
SELECT t.*, md5('quiz ' || course * 8 + 5)::uuid AS quiz_id, n % 16 = 8 AS awaits FROM tried AS t WHERE position = 5;

INSERT INTO quiz_attempts (tenant_id, attempt_id, quiz_id, questions, pass_mark, feedback, handed_in_at, graded_at)
SELECT '{tenant}'::uuid, id, quiz_id, questions, 70, 'answers', at, CASE WHEN NOT awaits THEN at END
FROM answered JOIN asked USING (quiz_id);

INSERT INTO quiz_answers (tenant_id, attempt_id, question_id, response, latency_seconds, answered_at, points, graded_by,
                          graded_at, awaits_since)
SELECT '{tenant}'::uuid, a.id, q.id,
       CASE q.kind WHEN 'single' THEN '["a"]' WHEN 'multiple' THEN '["a", "b"]' WHEN 'true_false' THEN 'true'
           WHEN 'numeric' THEN '"2,5"' WHEN 'fill_in' THEN '"cinto"'
           ELSE to_jsonb(md5('voice ' || CASE number WHEN 1 THEN n ELSE n + 50000000 END)::uuid) END,
       20, at, CASE WHEN NOT is_waiting THEN q.weight END,
       CASE WHEN q.kind = 'voice' AND NOT is_waiting THEN md5('user 2')::uuid END,
       CASE WHEN NOT is_waiting THEN at + interval '1 day' END, CASE WHEN is_waiting THEN at END
FROM answered AS a JOIN questions AS q ON q.quiz_id = a.quiz_id AND q.position <= 10,
     LATERAL (SELECT a.awaits AND q.kind = 'voice' AS is_waiting) AS waiting;

INSERT INTO voice_recordings (tenant_id, id, attempt_id, question_id, media_type, size, created_at)
SELECT tenant_id, (response #>> ARRAY[]::text[])::uuid, attempt_id, question_id, 'audio/webm', 90000, answered_at
FROM quiz_answers WHERE question_id IN (SELECT id FROM questions WHERE kind = 'voice');

UPDATE quiz_answers AS answer SET recording_id = recording.id, course_id = module.course_id
FROM voice_recordings AS recording JOIN attempts AS attempt ON attempt.id = recording.attempt_id
JOIN all_modules AS module ON module.id = attempt.module_id
WHERE recording.attempt_id = answer.attempt_id AND recording.question_id = answer.question_id;

-- A certificate of everything that was completed; half of them expire.
INSERT INTO certificates (tenant_id, id, code, user_id, enrollment_id, course_id, holder_name, holder_cpf_masked,
                          course_title, issued_by, locale, workload_minutes, score, started_at, completed_at, syllabus,
                          paper, issued_at, expires_at, created_at, updated_at, file_key, file_sha256, file_size,
                          rendered_at)
SELECT '{tenant}'::uuid, md5('certificate ' || n)::uuid, upper(left(md5('certificate ' || n), 16)), e.user_id, e.id,
       e.course_id, u.name, u.cpf, c.title, 'Companhia Brasileira de Transportes', 'pt-BR', 480, e.score, e.started_at,
       e.completed_at, jsonb_build_array(jsonb_build_object('title', 'Introdução', 'minutes', 30)),
       jsonb_build_object('design', 'classic', 'orientation', 'landscape'), e.completed_at,
       CASE WHEN n % 2 = 0 THEN e.completed_at + interval '2 years' END, e.completed_at, e.completed_at,
       file.key, file.sha256, file.size, file.at
FROM (SELECT generate_series(0::bigint, {enrollments} - 1) AS n
      UNION ALL SELECT {own} + generate_series(0::bigint, {courses} - 1)) AS numbered
JOIN enrollments AS e ON e.tenant_id = '{tenant}'::uuid AND e.id = md5('enrollment ' || n)::uuid
JOIN users AS u ON u.tenant_id = e.tenant_id AND u.id = e.user_id
JOIN courses AS c ON c.tenant_id = e.tenant_id AND c.id = e.course_id
-- One in 5,000 could not be rendered.
LEFT JOIN LATERAL (
    SELECT 'certificates/' || n || '.pdf' AS key, sha256(('certificate ' || n)::bytea) AS sha256, 60000 AS size,
           e.completed_at AS at WHERE n % 5000 <> 17) AS file ON true
WHERE e.status = 'COMPLETED' ORDER BY e.completed_at;

INSERT INTO course_deadlines (tenant_id, course_id, month, overdue, expiring)
SELECT tenant_id, course_id, date_trunc('month', at AT TIME ZONE 'America/Sao_Paulo')::date,
       sum(overdue), sum(expiring)
FROM (SELECT tenant_id, course_id, expires_at AS at, 1 AS overdue, 0 AS expiring FROM enrollments
      WHERE status = 'EXPIRED' AND expires_at IS NOT NULL
      UNION ALL
      SELECT tenant_id, course_id, expires_at, 0, 1 FROM certificates
      WHERE revoked_at IS NULL AND expires_at IS NOT NULL) AS ending
GROUP BY 1, 2, 3 ORDER BY 3;

INSERT INTO certificate_templates (tenant_id, id, name, design, orientation, texts, signatories, logo_from, syllabus,
                                   is_default, created_at, updated_at)
SELECT '{tenant}'::uuid, md5('certificate template ' || n)::uuid, 'Modelo ' || n,
       CASE WHEN n % 2 = 0 THEN 'classic' ELSE 'modern' END, 'landscape',
       jsonb_build_object('title', '', 'intro', '', 'body', '', 'closing', '', 'footer', ''), '[]', 'company', true,
       n = 0, now(), now()
FROM generate_series(0, 19) AS n;

INSERT INTO scim_tokens (tenant_id, id, name, hint, created_at, updated_at)
SELECT '{tenant}'::uuid, md5('scim token ' || n)::uuid, 'Diretório ' || n, 'trl_scim_…abcd', now(), now()
FROM generate_series(0, 9) AS n;

INSERT INTO xapi_keys (tenant_id, id, name, key, fingerprint, scopes, created_at, updated_at)
SELECT '{tenant}'::uuid, md5('xapi key ' || n)::uuid, 'Simulador ' || n, 'trl_xapi_' || lpad(n::text, 22, '0'),
       decode(md5('xapi key ' || n), 'hex'), '{{xapi:read,xapi:write}}', now(), now()
FROM generate_series(0, 9) AS n;

-- Learning records of a simulator. The keys are those of the verb `completed` and of its activity.
INSERT INTO xapi_statements (tenant_id, id, stored, verb, registration, voids, digest, sent_at, attachments, content)
SELECT '{tenant}'::uuid, md5('statement ' || n)::uuid, 1700000000000000 + n, '25d02fd6-5a7c-b5e6-7c39-865d27b43904',
       md5('enrollment ' || n % 1000)::uuid, false, decode(md5(n::text), 'hex'), NULL,
       CASE WHEN n = 0 THEN ARRAY[repeat('0', 64)] END,
       '{{"id": "' || md5('statement ' || n)::uuid || '", "actor": {{"mbox": "mailto:ana' || n % 1000
       || '@example.com"}}, "verb": {{"id": "http://adlnet.gov/expapi/verbs/completed"}}, "object": {{"id": '
       || '"https://example.com/nr35"}}, "timestamp": "2026-11-20T12:00:00Z", "version": "2.0.0", "authority": '
       || '{{"mbox": "mailto:lrs@example.com"}}}}'
FROM generate_series(0, 20000) AS n;
INSERT INTO xapi_references (tenant_id, key, stored, verb, is_direct)
SELECT tenant_id, '6a5ab45c-46e5-7f5b-9611-6cb9cadc85f7', stored, verb, true FROM xapi_statements WHERE tenant_id = '{tenant}'::uuid;
INSERT INTO xapi_attachments (tenant_id, sha2, content_type, content, created_at)
VALUES ('{tenant}'::uuid, repeat('0', 64), 'image/png', '\x00', now());

-- A provider keeps everybody, and has asked for as much as is kept of that.
INSERT INTO scim_users (tenant_id, user_id, user_name, user_name_key, external_id, document, seen_name, seen_email,
                        created_at, updated_at)
SELECT tenant_id, id, email, email, 'x-' || employee_number,
       jsonb_build_object('userName', email, 'displayName', name, 'emails',
           jsonb_build_array(jsonb_build_object('value', email, 'type', 'work', 'primary', true))), name, email,
       created_at, created_at
FROM users WHERE tenant_id = '{tenant}'::uuid;

INSERT INTO scim_groups (tenant_id, group_id, external_id, created_at, updated_at)
SELECT tenant_id, id, 'g-' || name, created_at, created_at FROM learning_groups WHERE tenant_id = '{tenant}'::uuid;

INSERT INTO scim_requests (tenant_id, id, token_id, at, method, route, status, changed, resource)
SELECT '{tenant}'::uuid, md5('scim request ' || n)::uuid, md5('scim token 0')::uuid, now() - n * interval '1 minute',
       'PATCH', '/Users/{{user_id}}', 200, ARRAY['active'], md5('user ' || n)::uuid
FROM generate_series(0, 999) AS n;

INSERT INTO scim_activity (tenant_id, requests, failures, changes, last_at, last_change_at)
VALUES ('{tenant}', 4000000, 900, 300000, now(), now());

INSERT INTO email_domains (tenant_id, id, domain, token, verified_at, verified_by, created_at, updated_at)
SELECT '{tenant}'::uuid, md5('email domain ' || n)::uuid, 'd' || n || '.companhia.example', 'token', now(), 'operator',
       now(), now()
FROM generate_series(0, 9) AS n;
INSERT INTO sso_connections (tenant_id, id, kind, name, created_at, updated_at)
SELECT '{tenant}'::uuid, md5('sso connection ' || n)::uuid, 'OIDC', 'Provedor ' || n, now(), now()
FROM generate_series(0, 4) AS n;
INSERT INTO sso_oidc (tenant_id, connection_id, issuer, client_id, auth_method, algorithms, document, document_read_at)
SELECT '{tenant}'::uuid, md5('sso connection ' || n)::uuid, 'https://id.companhia.example/' || n, 'trilha',
       'client_secret_basic', ARRAY['RS256'],
       jsonb_build_object('authorization_endpoint', 'https://id.companhia.example/a',
           'token_endpoint', 'https://id.companhia.example/t', 'jwks_uri', 'https://id.companhia.example/k',
           'userinfo_endpoint', null, 'answers_name_issuer', false), now()
FROM generate_series(0, 4) AS n;
INSERT INTO sso_identities (tenant_id, connection_id, subject, user_id, last_sign_in_at, created_at)
SELECT tenant_id, md5('sso connection 0')::uuid, id::text, id, now(), now()
FROM users WHERE tenant_id = '{tenant}'::uuid AND status = 'ACTIVE';
INSERT INTO sso_sign_ins (tenant_id, id, at, connection_id, outcome, code, reference)
SELECT '{tenant}'::uuid, md5('sign-in ' || n)::uuid, now() - n * interval '1 minute', md5('sso connection 0')::uuid,
       'REFUSED', 'nonce_mismatch', 'R' || n
FROM generate_series(0, 999) AS n;

RESET session_replication_role;
