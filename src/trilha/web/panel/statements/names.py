"""Names of the people and activities in statements. Looked up at once for all statements of a page."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any
from uuid import UUID

import msgspec
from msgspec import Struct

from trilha.core.database import Tx
from trilha.people.users import selection
from trilha.people.users.reach import EVERYONE
from trilha.people.users.selection import SelectedUser
from trilha.training.courses.module_queries import load_titles
from trilha.training.xapi import queries
from trilha.training.xapi.identifiers import activity_key

MAX_MEMBERS = 3
_MAILTO = "mailto:"
_MODULES = "/activities/modules/"
Members = Mapping[str, Any]


class Names(Struct, frozen=True):
    """What is known of the agents and activities of some statements. `base` is the address of the server."""

    base: str = ""
    by_id: Mapping[UUID, SelectedUser] = {}
    by_email: Mapping[str, SelectedUser] = {}
    definitions: Mapping[UUID, Members] = {}
    modules: Mapping[UUID, str] = {}

    def find_person(self, agent: Members) -> SelectedUser | None:
        """Returns the person of the company that an agent is."""
        if (user_id := find_user_id(agent)) is not None:
            return self.by_id.get(user_id)
        return self.by_email.get(find_email(agent))

    def find_module(self, iri: str) -> str:
        """Returns the title of the module that an activity of this server is, or nothing."""
        module_id = find_module_id(self.base, iri)
        return self.modules.get(module_id, "") if module_id else ""


def find_email(agent: Members) -> str:
    """Returns the e-mail address of an agent in its stored form, or nothing."""
    mbox = agent.get("mbox")
    return mbox[len(_MAILTO) :].lower() if isinstance(mbox, str) else ""


def find_user_id(agent: Members) -> UUID | None:
    """Returns the id that an agent's account may be of a person of the company."""
    account = agent.get("account")
    return _parse_id(account.get("name")) if isinstance(account, Mapping) else None


def find_module_id(base: str, iri: str) -> UUID | None:
    prefix = f"{base}{_MODULES}"
    return _parse_id(iri[len(prefix) :]) if base and iri.startswith(prefix) else None


def _parse_id(text: object) -> UUID | None:
    if not isinstance(text, str) or len(text) != 36:
        return None
    try:
        return UUID(text)
    except ValueError:
        return None


def list_agents(event: Members) -> Iterator[Members]:
    """Lists the agents that the sentence about a statement names."""
    yield from _list_with_members(event["actor"])
    thing = event["object"]
    kind = thing.get("objectType", "Activity")
    if kind in ("Agent", "Group"):
        yield from _list_with_members(thing)
    elif kind == "SubStatement":
        yield from list_agents(thing)


def _list_with_members(agent: Members) -> list[Members]:
    return [agent, *list(agent.get("member", ()))[:MAX_MEMBERS]]


def list_activities(event: Members) -> Iterator[Members]:
    """Lists the activity that the sentence about a statement names."""
    thing = event["object"]
    kind = thing.get("objectType", "Activity")
    if kind == "Activity":
        yield thing
    elif kind == "SubStatement":
        yield from list_activities(thing)


async def load_names(
    tx: Tx, base: str, agents: Collection[Members], activities: Collection[Members]
) -> Names:
    user_ids = {each for agent in agents if (each := find_user_id(agent)) is not None}
    emails = {one for agent in agents if (one := find_email(agent))}
    by_id = await selection.find_by_ids(tx, user_ids, EVERYONE) if user_ids else []
    by_email = await selection.find_by_emails(tx, emails, EVERYONE) if emails else []
    iris = [each["id"] for each in activities]
    modules = {each for iri in iris if (each := find_module_id(base, iri)) is not None}
    rows = await queries.list_activities(tx, {activity_key(iri) for iri in iris}) if iris else []
    return Names(
        base=base,
        by_id={each.id: each for each in by_id},
        by_email={each.email: each for each in by_email},
        definitions={row.key: msgspec.json.decode(row.definition) for row in rows},
        modules=await load_titles(tx, modules) if modules else {},
    )


async def load_sentence_names(tx: Tx, base: str, events: Sequence[Members]) -> Names:
    """Loads what the sentences about some statements name."""
    agents = [agent for event in events for agent in list_agents(event)]
    activities = [activity for event in events for activity in list_activities(event)]
    return await load_names(tx, base, agents, activities)
