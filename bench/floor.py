"""The floor: bare ASGI, one pool, the same SQL, JSON out. No credential, limit, tenancy or check.

What a route costs here is what PostgreSQL, its driver and JSON cost; nothing built on them is cheaper.
One route has less SQL than ours: many enrollments at once are one bare INSERT, without events and counters.
"""

import os
from datetime import UTC, datetime, timedelta
from typing import Any
from urllib.parse import parse_qs, parse_qsl
from uuid import UUID, uuid4

import asyncpg
import msgspec
from joserfc import jwt
from joserfc.jwk import ECKey

from bench.world import TENANT

USERS = """
    SELECT id, email, name, role, status, department, job_title, business_unit_id, employee_number,
           cpf, phone, birth_date, cnh, xp, level, last_login_at, created_at, updated_at
    FROM users WHERE tenant_id = $1
"""
COURSES = """
    SELECT id, title, description, slug, status, difficulty, duration_hours, thumbnail_url, category_id,
           tags, created_at, updated_at
    FROM courses WHERE tenant_id = $1
"""
RUN_OUT = "(status IN ('NOT_STARTED', 'IN_PROGRESS') AND expires_at <= $2)"
MEMBERS = "progress, score, started_at, completed_at, expires_at, created_at, updated_at"
ENROLLMENTS = f"""
    SELECT id, user_id, course_id, CASE WHEN {RUN_OUT} THEN 'EXPIRED' ELSE status END AS status, {MEMBERS}
    FROM enrollments WHERE tenant_id = $1
"""
PEOPLE = """
    SELECT u.id, u.email, u.name, u.status, u.department, u.job_title, u.employee_number, s.user_name,
           s.external_id, s.document, s.version, u.created_at, u.updated_at
    FROM users u LEFT JOIN scim_users s ON s.tenant_id = u.tenant_id AND s.user_id = u.id
    WHERE u.tenant_id = $1 ORDER BY u.created_at, u.id LIMIT 100
"""
COUNT = "SELECT count(*) FROM users WHERE tenant_id = $1"
CERTIFICATES = """
    SELECT id, code, user_id, enrollment_id, course_id, file_key, issued_at, expires_at, created_at
    FROM certificates WHERE tenant_id = $1
"""
VERIFY = """
    SELECT code, holder_name, holder_cpf_masked, course_title, issued_by, issued_at, expires_at, revoked_at
    FROM certificates WHERE code = $1
"""
NEWEST = " ORDER BY created_at DESC, id DESC LIMIT 21"
STATS = """
    SELECT t.enrollments, t.completed, t.score / NULLIF(t.scored, 0) AS score,
           t.progress / NULLIF(t.enrollments, 0) AS progress,
           t.not_started - due.not_started AS not_started, t.in_progress - due.in_progress AS in_progress
    FROM (SELECT sum(enrollments)::bigint AS enrollments, sum(completed)::bigint AS completed,
                 sum(not_started)::bigint AS not_started, sum(in_progress)::bigint AS in_progress,
                 sum(scored) AS scored, sum(score) AS score, sum(progress) AS progress
          FROM course_counters WHERE tenant_id = $1 AND course_id = $2) AS t,
         (SELECT count(*) FILTER (WHERE status = 'NOT_STARTED') AS not_started,
                 count(*) FILTER (WHERE status = 'IN_PROGRESS') AS in_progress
          FROM enrollments
          WHERE tenant_id = $1 AND course_id = $2 AND status IN ('NOT_STARTED', 'IN_PROGRESS')
            AND expires_at <= $3) AS due
"""
PARTIES = """
    SELECT u.status, u.cpf, u.phone, u.birth_date, u.cnh, c.status, c.regulation
    FROM users u, courses c WHERE u.tenant_id = $1 AND u.id = $2 AND c.tenant_id = $1 AND c.id = $3
"""
INSERT = f"""
    INSERT INTO all_enrollments (tenant_id, user_id, course_id, expires_at, created_at, updated_at)
    VALUES ($1, $2, $3, $4, $5, $5) RETURNING id, user_id, course_id, status, {MEMBERS}
"""
EVENT = """
    INSERT INTO events (tenant_id, id, type, data, created_at)
    VALUES ($1, gen_random_uuid(), 'enrollment.created', $2, $3)
"""
TALLY = """
    INSERT INTO course_counters (tenant_id, course_id, enrollments, not_started) VALUES ($1, $2, 1, 1)
"""
INSERT_MANY = """
    INSERT INTO all_enrollments (tenant_id, user_id, course_id, expires_at, created_at, updated_at)
    SELECT $1, t.*, $5, $5 FROM unnest($2::uuid[], $3::uuid[], $4::timestamptz[]) AS t
"""


TOKEN = """
    INSERT INTO oauth_tokens (tenant_id, jti, client_id, kid, scopes, created_at, expires_at)
    VALUES ($1, $2, $3, 'floor', $4, $5, $6)
"""
TOKEN_OF = """
    SELECT client_id, scopes, expires_at, revoked_at FROM oauth_tokens WHERE tenant_id = $1 AND jti = $2
"""
KEY = ECKey.generate_key("P-256", private=True)


class New(msgspec.Struct):
    user_id: UUID
    course_id: UUID
    expires_at: datetime | None = None


class Bulk(msgspec.Struct):
    enrollments: list[New]


encode = msgspec.json.Encoder(enc_hook=str).encode
decode_one = msgspec.json.Decoder(New).decode
decode_many = msgspec.json.Decoder(Bulk).decode
pool: Any = None


async def page(sql: str, *values: Any, order: str = NEWEST) -> bytes:
    rows = await pool.fetch(sql + order, *values)
    return encode({"data": [dict(row) for row in rows[:20]], "has_more": len(rows) > 20})


async def users(path: str, query: dict[str, str], _: bytes) -> bytes:
    if "at" in query:
        after = datetime.fromisoformat(query["at"]), UUID(query["id"])
        return await page(f"{USERS} AND (created_at, id) < ($2, $3)", TENANT, *after)
    return await page(USERS, TENANT)


async def provided(path: str, query: dict[str, str], _: bytes) -> bytes:
    """A ListResponse of SCIM has as many rows, and counts all."""
    rows = await pool.fetch(PEOPLE, TENANT)
    total = await pool.fetchval(COUNT, TENANT)
    told = [{**dict(row), "document": msgspec.json.decode(row["document"])} for row in rows]
    return encode({"totalResults": total, "Resources": told})


async def user(path: str, query: dict[str, str], _: bytes) -> bytes:
    row = await pool.fetchrow(f"{USERS} AND id = $2", TENANT, UUID(path[10:]))
    return encode({"data": dict(row)})


async def courses(path: str, query: dict[str, str], _: bytes) -> bytes:
    return await page(COURSES, TENANT)


async def stats(path: str, query: dict[str, str], _: bytes) -> bytes:
    row = await pool.fetchrow(STATS, TENANT, UUID(path[12:48]), datetime.now(UTC))
    return encode({"data": dict(row)})


async def enrollments(path: str, query: dict[str, str], _: bytes) -> bytes:
    now = datetime.now(UTC)
    for name in ("user_id", "course_id"):
        if name in query:
            return await page(f"{ENROLLMENTS} AND {name} = $3", TENANT, now, UUID(query[name]))
    if "status" in query:
        narrowed = f"{ENROLLMENTS} AND status = $3 AND NOT COALESCE({RUN_OUT}, false)"
        return await page(narrowed, TENANT, now, query["status"].upper())
    if "updated_since" in query:
        since = datetime.fromisoformat(query["updated_since"])
        order = " ORDER BY updated_at ASC, id ASC LIMIT 21"
        return await page(f"{ENROLLMENTS} AND updated_at >= $3", TENANT, now, since, order=order)
    if "at" in query:
        after = datetime.fromisoformat(query["at"]), UUID(query["id"])
        return await page(f"{ENROLLMENTS} AND (created_at, id) < ($3, $4)", TENANT, now, *after)
    return await page(ENROLLMENTS, TENANT, now)


async def certificates(path: str, query: dict[str, str], _: bytes) -> bytes:
    if "user_id" in query:
        return await page(f"{CERTIFICATES} AND user_id = $2", TENANT, UUID(query["user_id"]))
    return await page(CERTIFICATES, TENANT)


async def verify(path: str, query: dict[str, str], _: bytes) -> bytes:
    row = await pool.fetchrow(VERIFY, path.rpartition("/")[2])
    return encode({"data": {"verified": True, "certificate": dict(row)}})


async def enroll(path: str, query: dict[str, str], body: bytes) -> bytes:
    new, now = decode_one(body), datetime.now(UTC)
    async with pool.acquire() as connection, connection.transaction():
        await connection.fetchrow(PARTIES, TENANT, new.user_id, new.course_id)
        row = await connection.fetchrow(INSERT, TENANT, new.user_id, new.course_id, new.expires_at, now)
        await connection.execute(TALLY, TENANT, new.course_id)
        await connection.execute(EVENT, TENANT, encode(body.decode()).decode(), now)
    return encode({"data": dict(row)})


async def enroll_many(path: str, query: dict[str, str], body: bytes) -> bytes:
    new = decode_many(body).enrollments
    columns = (
        [each.user_id for each in new],
        [each.course_id for each in new],
        [each.expires_at for each in new],
    )
    await pool.execute(INSERT_MANY, TENANT, *columns, datetime.now(UTC))
    return encode({"data": {"created": len(new), "skipped": 0, "failed": 0, "errors": []}})


async def issue(path: str, query: dict[str, str], body: bytes) -> bytes:
    jti, client, now = uuid4(), uuid4(), datetime.now(UTC)
    claims = {
        "iss": "http://bench",
        "aud": "http://bench",
        "sub": str(client),
        "client_id": str(client),
        "jti": str(jti),
        "iat": int(now.timestamp()),
        "exp": int(now.timestamp()) + 3600,
        "scope": "users:read",
        "tenant": str(TENANT),
    }
    token = jwt.encode({"typ": "at+jwt", "alg": "ES256", "kid": "floor"}, claims, KEY, algorithms=["ES256"])
    await pool.execute(TOKEN, TENANT, jti, client, ["users:read"], now, now + timedelta(hours=1))
    return encode({"access_token": token, "token_type": "Bearer", "expires_in": 3600, "scope": "users:read"})


async def introspect(path: str, query: dict[str, str], body: bytes) -> bytes:
    """The signature is checked each time: nothing is remembered here."""
    token = parse_qs(body.decode())["token"][0]
    claims = jwt.decode(token, KEY, algorithms=["ES256"]).claims
    found = await pool.fetchrow(TOKEN_OF, UUID(claims["tenant"]), UUID(claims["jti"]))
    return encode(claims | {"active": found is not None})


EXACT = {
    ("POST", "/oauth/token"): issue,
    ("POST", "/oauth/introspect"): introspect,
    ("GET", "/v1/users"): users,
    ("GET", "/scim/v2/Users"): provided,
    ("GET", "/v1/courses"): courses,
    ("GET", "/v1/enrollments"): enrollments,
    ("GET", "/v1/certificates"): certificates,
    ("POST", "/v1/enrollments"): enroll,
    ("POST", "/v1/enrollments/bulk"): enroll_many,
}


def _by_form(path: str) -> Any:
    if path.startswith("/v1/certificates/"):
        return verify
    return stats if path.endswith("/stats") else user


async def app(scope: Any, receive: Any, send: Any) -> None:
    if scope["type"] == "lifespan":
        await live(receive, send)
        return
    path = scope["path"]
    answer = EXACT.get((scope["method"], path)) or _by_form(path)
    body = b""
    if scope["method"] == "POST":
        more = True
        while more:
            message = await receive()
            body += message.get("body", b"")
            more = message.get("more_body", False)
    text = scope["query_string"].decode()
    reply = await answer(path, dict(parse_qsl(text)) if text else {}, body)
    headers = [(b"content-type", b"application/json"), (b"content-length", b"%d" % len(reply))]
    status = 201 if scope["method"] == "POST" and path.startswith("/v1/") else 200
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": reply})


async def live(receive: Any, send: Any) -> None:
    global pool
    await receive()
    pool = await asyncpg.create_pool(
        os.environ["TRILHA_DATABASE_URL"],
        min_size=1,
        max_size=10,
        reset=_keep,
        server_settings={"timezone": "UTC"},
    )
    await send({"type": "lifespan.startup.complete"})
    await receive()
    await pool.close()
    await send({"type": "lifespan.shutdown.complete"})


async def _keep(_: Any) -> None:
    """By default the pool would send one more statement after each of ours."""


def make_app() -> Any:
    return app
