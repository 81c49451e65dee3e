"""A small company of random people, enrollments, certificates and records, which changes while lists are
read.
"""

import random
from uuid import UUID, uuid4

from conftest import World
from trilha.core.database import Tx
from trilha.people.users.reach import EVERYONE, Reach

NAMES = ["Ana", "Anabela", "Maria", "Mário", "Marina", "José", "Zoé", "Ana Maria"]
SURNAMES = ["Silva", "Souza", "Lima", "Limeira", "Prado", "Salles-Maria", "Silvana"]
MOST_PEOPLE = 100
TITLES = ["Altura Maria", "Direção", "Silva", "NR-10"]
# There are few distinct times, so that many rows share one.
_TIME = "date_trunc('hour', CAST(:now AS timestamptz)) - floor(random() * 40) * interval '1 hour'"
_SOME = "CASE WHEN random() < 0.5 THEN {} END"
_ONE_OF = "({}::text[])[1 + floor(random() * array_length({}::text[], 1))]"
_PEOPLE = f"""
    INSERT INTO users (tenant_id, email, name, role, status, employee_number, department, business_unit_id,
                       last_login_at, cnh, created_at, updated_at)
    SELECT :tenant, {_ONE_OF.format(":local", ":local")} || gen_random_uuid() || '@example.com',
           {_ONE_OF.format(":names", ":names")} || ' ' || {_ONE_OF.format(":surnames", ":surnames")},
           (ARRAY['learner', 'learner', 'gestor', 'instrutor'])[1 + floor(random() * 4)],
           (ARRAY['ACTIVE', 'ACTIVE', 'SUSPENDED'])[1 + floor(random() * 3)],
           {_SOME.format("'A' || floor(random() * 1000)")}, {_SOME.format("'RH'")},
           (:units::uuid[])[1 + floor(random() * 6)], {_SOME.format(_TIME)},
           {_SOME.format("jsonb_build_object('validade', 2020 + floor(random() * 12) || '-01-01')")},
           {_TIME}, {_TIME}
    FROM generate_series(1, CAST(:many AS int))
    RETURNING id
"""
_ENROLLMENTS = f"""
    INSERT INTO all_enrollments (tenant_id, user_id, course_id, status, current, started_at, completed_at,
                                 expires_at, cancelled_at, created_at, updated_at)
    SELECT :tenant, who, course, status,
           CASE WHEN status = 'EXPIRED' OR cancelled OR (status = 'COMPLETED' AND random() < 0.5) THEN NULL
                ELSE true END,
           at, CASE WHEN status = 'COMPLETED' THEN {_TIME} END,
           {_SOME.format("CAST(:now AS timestamptz) + (random() - 0.3) * interval '30 days'")},
           CASE WHEN cancelled AND status <> 'COMPLETED' THEN at END, at, {_TIME}
    FROM (
        SELECT (:people::uuid[])[1 + floor(random() * array_length(:people::uuid[], 1))] AS who,
               (:courses::uuid[])[1 + floor(random() * array_length(:courses::uuid[], 1))] AS course,
               (ARRAY['COMPLETED', 'COMPLETED', 'EXPIRED', 'NOT_STARTED', 'IN_PROGRESS']
                   )[1 + floor(random() * 5)] AS status, {_TIME} AS at, random() < 0.2 AS cancelled
        FROM generate_series(1, CAST(:many AS int)) OFFSET 0) AS new
    ON CONFLICT DO NOTHING RETURNING id
"""
_CERTIFICATES = f"""
    INSERT INTO certificates (tenant_id, id, code, user_id, enrollment_id, course_id, holder_name,
                              course_title, issued_by, locale, workload_minutes, started_at, completed_at,
                              syllabus, paper, issued_at, expires_at, revoked_at, revoked_by,
                              revocation_reason, render_due_at, created_at, updated_at)
    SELECT :tenant, gen_random_uuid(), upper(left(replace(gen_random_uuid()::text, '-', ''), 16)), user_id,
           id, course_id, 'Holder', 'Course', 'Company', 'en', 60, at, at, '[]', '{{}}', at,
           {_SOME.format("at + random() * interval '60 days'")}, revoked, revoked::text, revoked::text,
           {_SOME.format("at")}, at, {_TIME}
    FROM (SELECT *, {_TIME} AS at, {_SOME.format("created_at")} AS revoked FROM enrollments
          WHERE tenant_id = :tenant AND id = ANY(:enrollments) AND status = 'COMPLETED' OFFSET 0) AS place
    RETURNING tenant_id
"""
_RECORDS = f"""
    INSERT INTO audit_records (tenant_id, created_at, actor_kind, actor, source, action, target_id,
                               target_name, detail)
    SELECT :tenant, {_TIME}, 'session', (:actors::text[])[1 + floor(random() * 3)],
           '192.0.2.' || floor(random() * 3),
           (ARRAY['user.created', 'user.updated', 'course.updated', 'enrollment.created']
               )[1 + floor(random() * 4)],
           (:targets::uuid[])[1 + floor(random() * array_length(:targets::uuid[], 1))],
           CASE WHEN random() < 0.3 THEN 'Turma Maria' ELSE '' END, '{{}}'
    FROM generate_series(1, CAST(:many AS int))
    RETURNING tenant_id
"""
_FOLLOWERS = f"""
    INSERT INTO learning_path_assignments (tenant_id, path_id, user_id, assigned_at, due_at, completed_at)
    SELECT :tenant, :path, id, {_TIME}, {_SOME.format(_TIME)}, {_SOME.format(_TIME)}
    FROM users WHERE tenant_id = :tenant AND id = ANY(:people) AND random() < 0.6
    RETURNING tenant_id
"""
_MEMBERS = """
    INSERT INTO learning_group_members (tenant_id, group_id, user_id, added_at)
    SELECT :tenant, :group, id, :now FROM users
    WHERE tenant_id = :tenant AND id = ANY(:people) AND random() < 0.5
    RETURNING tenant_id
"""
_FLAGS = """
    INSERT INTO review_flags (tenant_id, enrollment_id, module_id, kind, detail, flagged_at)
    SELECT :tenant, place.id, module.id, 'TOO_FAST', '{}', :now
    FROM enrollments AS place JOIN modules AS module
      ON module.tenant_id = :tenant AND module.course_id = place.course_id
    WHERE place.tenant_id = :tenant AND place.id = ANY(:enrollments) AND random() < 0.3
    RETURNING tenant_id
"""
_QUESTIONS = f"""
    WITH asked AS (
        INSERT INTO learner_questions (tenant_id, enrollment_id, user_id, course_id, state, waiting_since,
                                       closed_at, changed_at, created_at)
        SELECT :tenant, id, user_id, course_id, state, CASE WHEN state = 'WAITING' THEN at END,
               CASE WHEN state = 'CLOSED' THEN at END, {_TIME}, at
        FROM (SELECT *, {_TIME} AS at,
                     (ARRAY['WAITING', 'ANSWERED', 'CLOSED'])[1 + floor(random() * 3)] AS state
              FROM enrollments WHERE tenant_id = :tenant AND id = ANY(:enrollments) OFFSET 0) AS place
        RETURNING id, user_id, created_at)
    INSERT INTO learner_question_messages (tenant_id, question_id, number, user_id, is_answer, text,
                                           created_at)
    SELECT :tenant, id, 1, user_id, false, 'Por quê?', created_at FROM asked
    RETURNING tenant_id
"""


_BANK = f"""
    WITH added AS (
        INSERT INTO bank_questions (tenant_id, kind, text, weight, answer_key, difficulty, archived_at,
                                    measured_at, created_at, updated_at)
        SELECT :tenant, (ARRAY['single', 'voice'])[1 + floor(random() * 2)], 'Pergunta ' || n, 1, '{{}}',
               CASE WHEN random() < 0.8 THEN random() * 100 END,
               CASE WHEN random() < 0.2 THEN CAST(:now AS timestamptz) END,
               CAST(:now AS timestamptz), {_TIME}, CAST(:now AS timestamptz)
        FROM generate_series(1, 60) AS n RETURNING id)
    INSERT INTO bank_question_tags (tenant_id, tag, question_id)
    SELECT :tenant, tag, id FROM added, unnest(ARRAY['a', 'b']) AS tag WHERE random() < 0.5
    RETURNING tenant_id
"""


class Company:
    def __init__(self, world: World, seed: int) -> None:
        self.world, self.random = world, random.Random(seed)
        # each unit of the second and third level is below one of the level above
        self.units = [uuid4() for _ in range(4)]
        self.group, self.path = uuid4(), uuid4()
        self.courses: list[UUID] = []
        self.people: list[UUID] = []
        self.reaches: list[Reach] = []

    async def begin(self, people: int) -> None:
        # Two courses require a driver's license.
        regulations = [{"kind": "traffic"}, None, {"kind": "traffic"}, None]
        self.courses = [
            await self.world.course(title=title, **({"regulation": each} if each else {}))
            for title, each in zip(TITLES, regulations, strict=True)
        ]
        async with self.world.tx() as tx:
            for number, unit in enumerate(self.units):
                await tx.execute(
                    """
                    INSERT INTO business_units (tenant_id, id, name, parent_id, created_at, updated_at)
                    VALUES (:tenant, :unit, :name, :parent, :now, :now)
                    """,
                    unit=unit,
                    name=f"Unit {number}",
                    parent=self.units[number - 1] if number in (1, 2) else None,
                )
            await tx.execute(
                """
                INSERT INTO learning_groups (tenant_id, id, name, created_at, updated_at)
                VALUES (:tenant, :group, 'One', :now, :now)
                """,
                group=self.group,
            )
            await tx.execute(
                """
                INSERT INTO learning_paths (tenant_id, id, title, slug, created_at, updated_at)
                VALUES (:tenant, :path, 'One', 'one', :now, :now)
                """,
                path=self.path,
            )
            await self.grow(tx, people)
            await self._appoint(tx)

    async def grow(self, tx: Tx, many: int) -> None:
        """Adds this many people, with enrollments of theirs and of others."""
        new = await tx.rows(
            _PEOPLE,
            many=many,
            names=NAMES,
            surnames=SURNAMES,
            local=["ana.", "maria.silva", "x"],
            units=[*self.units],
        )
        ids = [row["id"] for row in new]
        self.people += ids
        made = await tx.rows(_ENROLLMENTS, many=3 * many, people=self.people, courses=self.courses)
        enrollments = [row["id"] for row in made]
        for insert in (_CERTIFICATES, _FLAGS, _QUESTIONS, _BANK):
            await tx.execute(insert, enrollments=enrollments)
        await tx.execute(_FOLLOWERS, path=self.path, people=ids)
        await tx.execute(_MEMBERS, group=self.group, people=ids)
        await tx.execute(
            _RECORDS,
            many=2 * many,
            actors=[str(each) for each in self.people[:3]],
            targets=[*self.people[:9], *self.courses, *enrollments[:9]],
        )

    async def change(self) -> None:
        """Changes that other people make while a list is read."""
        async with self.world.tx() as tx:
            if len(self.people) < MOST_PEOPLE:
                await self.grow(tx, self.random.randrange(3))
            some = self.random.sample(self.people, 2)
            await tx.execute(
                """
                UPDATE users SET status = 'ACTIVE', name = 'Maria ' || right(name, 3), updated_at = :now
                WHERE tenant_id = :tenant AND id = ANY(:some)
                """,
                some=some,
            )
            await tx.execute(
                """
                UPDATE all_enrollments SET updated_at = :now, progress = 1
                WHERE tenant_id = :tenant AND user_id = ANY(:some)
                """,
                some=some,
            )

    async def _appoint(self, tx: Tx) -> None:
        manager, other, teacher, second = self.people[:4]
        for user, unit in ((manager, self.units[0]), (other, self.units[3])):
            await tx.execute(
                """
                INSERT INTO business_unit_managers (tenant_id, business_unit_id, user_id)
                VALUES (:tenant, :unit, :user)
                """,
                unit=unit,
                user=user,
            )
        for user, course in ((teacher, 0), (teacher, 1), (second, 3)):
            await tx.execute(
                """
                INSERT INTO course_teachers (tenant_id, course_id, user_id)
                VALUES (:tenant, :course, :user)
                """,
                course=self.courses[course],
                user=user,
            )
        self.reaches = [
            *(EVERYONE, Reach("gestor", manager), Reach("gestor", other)),
            *(Reach("instrutor", teacher), Reach("instrutor", second), Reach("learner", other)),
        ]
