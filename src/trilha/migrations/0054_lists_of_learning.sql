-- Whoever grades sees the voice answers of the courses that they teach, in order, without looking at the others.
-- Both are of a voice answer from when it is handed in; a module never changes its course.
ALTER TABLE quiz_answers ADD COLUMN recording_id uuid;
ALTER TABLE quiz_answers ADD COLUMN course_id uuid;
ALTER TABLE quiz_answers NO FORCE ROW LEVEL SECURITY;
ALTER TABLE voice_recordings NO FORCE ROW LEVEL SECURITY;
ALTER TABLE attempts NO FORCE ROW LEVEL SECURITY;
ALTER TABLE all_modules NO FORCE ROW LEVEL SECURITY;
UPDATE quiz_answers AS answer SET recording_id = recording.id, course_id = module.course_id
FROM voice_recordings AS recording
JOIN attempts AS attempt ON attempt.tenant_id = recording.tenant_id AND attempt.id = recording.attempt_id
JOIN all_modules AS module ON module.tenant_id = attempt.tenant_id AND module.id = attempt.module_id
WHERE recording.tenant_id = answer.tenant_id AND recording.attempt_id = answer.attempt_id
  AND recording.question_id = answer.question_id AND recording.removed_at IS NULL
  AND (answer.awaits_since IS NOT NULL OR answer.graded_by IS NOT NULL);
ALTER TABLE all_modules FORCE ROW LEVEL SECURITY;
ALTER TABLE attempts FORCE ROW LEVEL SECURITY;
ALTER TABLE voice_recordings FORCE ROW LEVEL SECURITY;
ALTER TABLE quiz_answers FORCE ROW LEVEL SECURITY;
DROP INDEX quiz_answers_tenant_id_awaits_since_idx;
DROP INDEX quiz_answers_tenant_id_graded_at_idx;
CREATE INDEX ON quiz_answers (tenant_id, awaits_since, recording_id) WHERE awaits_since IS NOT NULL;
CREATE INDEX ON quiz_answers (tenant_id, course_id, awaits_since, recording_id) WHERE awaits_since IS NOT NULL;
CREATE INDEX ON quiz_answers (tenant_id, graded_at, recording_id) WHERE graded_by IS NOT NULL;
CREATE INDEX ON quiz_answers (tenant_id, course_id, graded_at, recording_id) WHERE graded_by IS NOT NULL;
