"""Opens the content of a module: makes a session, its documents, and the statements that come before it."""

import secrets
from base64 import b64encode
from collections.abc import Sequence
from datetime import datetime
from urllib.parse import quote, urlencode
from uuid import UUID, uuid4

import msgspec
from msgspec import structs

from trilha.core.database import Tx
from trilha.core.errors import Conflict
from trilha.core.types import Timestamp
from trilha.training.enrollments.schema import EnrollmentStatus
from trilha.training.learning.cmi5 import moving_on, queries, rules
from trilha.training.learning.cmi5.queries import Secrets
from trilha.training.learning.cmi5.schema import LaunchMode, OpenedContent, Session
from trilha.training.learning.cmi5.statements import (
    StatementBuilder,
    build_activity_id,
    build_actor,
    build_context_template,
)
from trilha.training.learning.launches import queries as launch_queries
from trilha.training.learning.launches import units
from trilha.training.learning.launches.schema import LoadedLaunch, LoadedUnit
from trilha.training.xapi import actions as xapi
from trilha.training.xapi.actions import Submission
from trilha.training.xapi.documents import actions as documents
from trilha.training.xapi.documents import queries as document_queries
from trilha.training.xapi.documents.queries import Place
from trilha.training.xapi.identifiers import activity_key, agent_key
from trilha.training.xapi.statements import NewStatement

LAUNCH_DATA = "LMS.LaunchData"
PREFERENCES = "cmi5LearnerPreferences"
# Content sends its token as Basic: the user name says what the password is.
TOKEN_NAME = "cmi5"  # noqa: S105
_TOKEN_BYTES = 32


async def open_content(
    tx: Tx, opened: LoadedLaunch, base: str, content_origin: str, language: str, *, preview: bool
) -> OpenedContent:
    """Makes a session of a launch or of a preview, and returns where its content begins. Sessions of the
    module that did not end are abandoned.

    Raises Conflict (launch_superseded, enrollment_expired, module_without_content) and NotFound
    (launch_not_found).
    """
    head = None
    if not preview:
        locked = await launch_queries.lock_launch(tx, opened.launch.id)
        if locked.is_superseded:
            raise Conflict("launch_superseded")
        head = locked.head
        if head.status == EnrollmentStatus.EXPIRED:
            raise Conflict("enrollment_expired")
    loaded = await units.load_unit(tx, opened.module, None if preview else opened.attempt)
    registration = opened.launch.id if preview else opened.attempt.enrollment_id
    mode: LaunchMode = "Browse" if preview else "Review" if opened.launch.review else "Normal"
    now = Timestamp.of(tx.now)
    session = Session(
        id=uuid4(),
        user_id=opened.user_id,
        launch_id=opened.launch.id,
        enrollment_id=None if preview else opened.attempt.enrollment_id,
        module_id=opened.module.id,
        registration=registration,
        mode=mode,
        last_at=now,
        started_at=now,
    )
    built = StatementBuilder(base, session.user_id, registration, session.id, tx.now)
    stored: list[NewStatement] = list(await abandon_open(tx, base, registration, opened.module.id, loaded))
    if head is not None:
        stored += await moving_on.satisfy_without_criteria(tx, head, loaded, built)
    fetch, files = (secrets.token_urlsafe(_TOKEN_BYTES) for _ in range(2))
    actor = build_actor(base, session.user_id)
    agent = agent_key(actor)
    assert agent is not None
    fingerprints = [tx.keyring.fingerprint(each) for each in (fetch, secrets.token_urlsafe(), files)]
    await queries.insert_session(tx, session, agent, Secrets(*fingerprints))
    activity = build_activity_id(base, opened.module.id)
    folder = f"{content_origin}/l/{files}"
    await _store_documents(tx, session, loaded, activity, agent, f"{folder}/returned", language)
    address = loaded.unit.url or f"{folder}/p/{loaded.item.launch.url if loaded.item.launch else ''}"
    stored.append(built.build_launched(loaded, activity, mode, address))
    await xapi.record(tx, [Submission(stored)])
    parameters = {
        "endpoint": f"{base}/xapi",
        "fetch": f"{base}/xapi/fetch/{fetch}",
        "actor": msgspec.json.encode(actor).decode(),
        "registration": str(registration),
        "activityId": activity,
    }
    return OpenedContent(
        rules.build_address(address, urlencode(parameters, quote_via=quote)),
        loaded.unit.launch_method == "OwnWindow",
    )


async def abandon_open(
    tx: Tx, base: str, registration: UUID, module_id: UUID, loaded: LoadedUnit
) -> Sequence[NewStatement]:
    """Ends the sessions of a module that have not ended. Returns the statements to store about them."""
    sessions = await queries.lock_open_sessions(tx, registration, module_id)
    return [await _abandon(tx, base, each, loaded.item.identifier) for each in sessions]


async def abandon_others(tx: Tx, base: str, session: Session) -> Sequence[NewStatement]:
    """Ends the open sessions of other modules in the registration, because a learner uses one module at a
    time (9.3.6). Returns the statements to store about them.
    """
    others = await queries.lock_other_sessions(tx, session.registration, session.module_id)
    return [
        await _abandon(tx, base, each, await queries.get_publisher_id(tx, each.launch_id)) for each in others
    ]


async def _abandon(tx: Tx, base: str, session: Session, publisher_id: str) -> NewStatement:
    await queries.update_session(tx, structs.replace(session, abandoned_at=Timestamp.of(tx.now)))
    built = StatementBuilder(base, session.user_id, session.registration, session.id, tx.now)
    length = datetime.fromisoformat(session.last_at) - datetime.fromisoformat(session.started_at)
    return built.build_abandoned(build_activity_id(base, session.module_id), publisher_id, length)


async def _store_documents(
    tx: Tx,
    session: Session,
    loaded: LoadedUnit,
    activity: str,
    agent: UUID,
    return_address: str,
    language: str,
) -> None:
    """Stores what the content reads first: LMS.LaunchData, and the learner's preferences (10, 11)."""
    unit = loaded.unit
    data = {
        "contextTemplate": build_context_template(loaded.item.identifier, session.id),
        "launchMode": session.mode,
        "moveOn": unit.move_on,
        "returnURL": return_address,
        **({"launchParameters": unit.launch_parameters} if unit.launch_parameters else {}),
        **({"masteryScore": unit.mastery_score} if unit.mastery_score is not None else {}),
        **({"entitlementKey": {"courseStructure": unit.entitlement_key}} if unit.entitlement_key else {}),
    }
    place = Place("STATE", activity_key(activity), agent, session.registration)
    document = documents.build_document(tx, documents.JSON, msgspec.json.encode(data))
    if await document_queries.lock(tx, place, LAUNCH_DATA):
        await document_queries.update(tx, place, LAUNCH_DATA, document)
    else:
        await document_queries.insert(tx, place, LAUNCH_DATA, document)
    preferences = msgspec.json.encode({"languagePreference": language, "audioPreference": "on"})
    document = documents.build_document(tx, documents.JSON, preferences)
    await document_queries.insert(tx, Place("AGENT_PROFILE", agent=agent), PREFERENCES, document)


async def give_token(tx: Tx, session_id: UUID) -> str | None:
    """Returns the token of a session, as content sends it after `Basic`. Returns None if it was given out
    before.
    """
    token = secrets.token_urlsafe(_TOKEN_BYTES)
    if not await queries.take_fetch(tx, session_id, tx.keyring.fingerprint(token)):
        return None
    return b64encode(f"{TOKEN_NAME}:{token}".encode()).decode()
