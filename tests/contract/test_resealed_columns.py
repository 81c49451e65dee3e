"""Every encrypted column is declared, and a new master key encrypts its values again."""

from itertools import chain
from uuid import UUID, uuid4

import asyncpg
from validate_docbr import CNH, CPF

from conftest import World
from known import IMPORTED
from resealing import check_resealing
from training.certificates.holders import completed
from trilha.access.scim.tokens import actions as scim
from trilha.access.sessions import second_factor
from trilha.app import FEATURES
from trilha.core.database import Tx
from trilha.core.resealing.columns import SealedColumn
from trilha.core.resealing.installation import HASH_KEYS
from trilha.core.types import Timestamp
from trilha.core.web import idempotency
from trilha.people.users.sealing import SEALED_DOCUMENTS
from trilha.platform.mail.catalogue import PasswordReset
from trilha.platform.mail.outbox import SEALED_MESSAGES, send
from trilha.platform.mail.schema import Recipient
from trilha.platform.webhooks.actions import SEALED_SECRETS
from trilha.training.certificates.badges import keys as badge_keys
from trilha.training.certificates.jobs import SEALED_HOLDERS
from trilha.training.certificates.signatures import actions as signatures
from trilha.training.certificates.signatures.schema import NewIdentity
from trilha.training.courses.imports.actions import SEALED_URLS

# Columns of bytes that are hashes, pictures or a learner's own reports, which no master key encrypts.
PLAIN = {
    *("api_key_secrets.fingerprint", "email_changes.fingerprint", "launches.fingerprint"),
    *("oauth_client_secrets.fingerprint", "password_resets.fingerprint", "previews.fingerprint"),
    *("recovery_codes.fingerprint", "scim_token_secrets.fingerprint", "sessions.fingerprint"),
    *("xapi_keys.fingerprint", "xapi_statements.digest", "xapi_activities.seen"),
    *("xapi_attachments.content", "xapi_documents.content"),
    *(
        "cmi5_sessions.token_fingerprint",
        "cmi5_sessions.fetch_fingerprint",
        "cmi5_sessions.files_fingerprint",
    ),
    *("signing_identities.fingerprint", "sso_flows.fingerprint", "sso_tickets.fingerprint"),
    *("reminder_addresses.fingerprint", "launch_links.fingerprint", "calendar_feeds.digest"),
    "company_feeds.digest",
    *("users.cpf_fingerprint", "sso_flows.browser", "sso_flows.nonce", "sso_tickets.browser"),
    *("certificates.evidence_hash", "certificates.file_sha256", "exports.file_sha256"),
    *("certificate_papers.file_sha256", "pedagogic_project_versions.file_sha256"),
    *("learning_heads.hash", "learning_log.hash", "launches.last_hash", "unapplied_reports.hash"),
    *(
        "module_observations.state_hash",
        "oauth_assertions.digest",
        "rendered_articles.digest",
        "question_translations.source",
        "rendered_lessons.digest",
    ),
    *("passkeys.credential_id", "passkeys.public_key", "passkey_challenges.digest"),
    *("passkey_challenges.binding", "passkey_challenges.document"),
    *("sso_replays.digest", "idempotency_keys.request", "tenant_settings.logo", "unapplied_reports.body"),
    *("tenant_deletions.evidence_hash", "tenant_deletions.previous", "tenant_deletions.hash"),
    # an author's own questions until the import is confirmed
    "question_imports.content",
    # not a secret: the proof that a master key is at hand
    "master_keys.sealed",
}


def declared() -> list[SealedColumn]:
    return [*chain.from_iterable(each.sealed_columns for each in FEATURES), idempotency.SEALED_RESPONSES]


async def test_every_column_of_bytes_is_declared_or_plain(admin_url: str, world: World) -> None:
    owner = await asyncpg.connect(admin_url)
    rows = await owner.fetch(
        """
        SELECT c.relname || '.' || a.attname AS name FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid
        WHERE c.relkind = 'r' AND c.relnamespace = current_schema()::regnamespace
              AND a.atttypid = 'bytea'::regtype AND NOT a.attisdropped
        """
    )
    await owner.close()
    own = [HASH_KEYS, *chain.from_iterable(each.installation_columns for each in FEATURES)]
    sealed = {f"{each.table}.{each.column}" for each in own}
    sealed |= {f"{each.table}.{each.column}" for each in declared()}
    assert {row["name"] for row in rows} - PLAIN == sealed


async def test_values_of_every_kind_get_a_new_master_key(world: World) -> None:
    user = await world.http.post(
        "/v1/users",
        json={
            "email": f"{uuid4().hex}@example.com",
            "name": "Ana Lima",
            "cpf": CPF().generate(),
            "phone": "+55 (11) 91234-5678",
            "birth_date": "1980-01-31",
            "cnh": {"numero": CNH().generate(), "categoria": "AB", "validade": "2099-01-31", "ear": True},
        },
        headers={"idempotency-key": "made"},
    )
    assert user.status_code == 201, user.text
    user_id = UUID(user.json()["data"]["id"])
    hook = {"url": "https://hooks.example.com/", "events": ["user.created"]}
    assert (await world.http.post("/v1/webhooks", json=hook)).status_code == 201
    path = f"/v1/courses/{await world.course()}/modules"
    assert (await world.http.post(path, json=IMPORTED)).status_code == 202
    await completed(world, enrollment=await world.enrollment(user_id=str(user_id)))
    async with world.tx() as tx:
        await make_secrets(tx, user_id)
    await check_resealing(
        world,
        *(*SEALED_DOCUMENTS, SEALED_HOLDERS, SEALED_MESSAGES, SEALED_SECRETS, scim.SEALED_TOKENS),
        *(second_factor.SEALED_AUTHENTICATORS, badge_keys.SEALED_KEYS, signatures.SEALED_IDENTITIES),
        *(idempotency.SEALED_RESPONSES, SEALED_URLS),
    )


async def make_secrets(tx: Tx, user_id: UUID) -> None:
    await scim.create(tx, "Provider")
    await second_factor.begin(tx, user_id, "ana@example.com", "Acme")
    await badge_keys.rotate(tx)
    until = Timestamp.of(tx.now)
    await signatures.put(tx, NewIdentity(b"archive", "Acme", "CA", "1", until, until, b"f" * 32))
    reset = PasswordReset(link="https://learn.example.com/x", minutes=30)
    await send(tx, to=Recipient("ana@example.com", "Ana Lima", "pt-BR"), message=reset)
