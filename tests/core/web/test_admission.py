"""Requests are admitted although what others need is away."""

import asyncio

import asyncpg
import msgspec
import pytest

from conftest import World
from trilha.access.api_keys.unscoped import LOOKUP as API_KEYS
from trilha.access.sessions.unscoped import LOOKUP as SESSIONS
from trilha.core.credentials import CredentialKind, PresentedCredential
from trilha.core.web.admission import Admission

# What the driver raises when a worker of a cluster is down.
AWAY = "DO $$ BEGIN RAISE EXCEPTION 'a worker is down' USING ERRCODE = '08006'; END $$"


async def test_an_api_key_is_found_while_sessions_cannot_be(world: World) -> None:
    # dividing by zero fails this statement, whatever else the batch has
    broken = msgspec.structs.replace(
        SESSIONS, statement=SESSIONS.statement.replace("SELECT 'session'", "SELECT (1 / 0)::text")
    )
    admission = Admission(world.database, [API_KEYS, broken])
    fingerprint = world.database.keyring.fingerprint
    key = PresentedCredential(CredentialKind.API_KEY, fingerprint(await world.key()))
    session = PresentedCredential(CredentialKind.SESSION, fingerprint("nobody's"))
    results = await asyncio.gather(
        *(admission.find(each) for each in [session, key, session, key, key]), return_exceptions=True
    )
    found = [result for result in results if not isinstance(result, BaseException) and result]
    assert [each.tenant_id for each in found] == [world.tenant.id] * 3
    assert sum(isinstance(result, asyncpg.DivisionByZeroError) for result in results) == 2


async def test_a_use_that_cannot_be_recorded_fails_no_request(world: World) -> None:
    admission = Admission(world.database, [msgspec.structs.replace(API_KEYS, note_use=AWAY)])
    key = PresentedCredential(CredentialKind.API_KEY, world.database.keyring.fingerprint(await world.key()))
    credential = await admission.find(key)
    assert credential is not None
    assert credential.use_is_due


async def test_another_error_of_recording_is_not_hidden(world: World) -> None:
    admission = Admission(world.database, [msgspec.structs.replace(API_KEYS, note_use="SELECT 1 / 0")])
    key = PresentedCredential(CredentialKind.API_KEY, world.database.keyring.fingerprint(await world.key()))
    with pytest.raises(asyncpg.DivisionByZeroError):
        await admission.find(key)
