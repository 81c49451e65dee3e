"""Tells schemathesis what it cannot know: documents with check digits, existing ids, and cursors that a
server returned.

The server's address, a key and the tenant's ids come from the environment, as test_api.py sets it.
"""

import itertools
import json
import os
import re
from datetime import UTC, datetime, timedelta
from typing import Any

import httpx2
import schemathesis
from hypothesis import strategies as st
from schemathesis import Case, HookContext
from validate_docbr import CNH, CPF

from trilha.people.users.bulk_schema import MAX_PASSWORDS

HTTP = httpx2.Client(
    base_url=os.environ["TRILHA_FUZZ_URL"] + "/v1",
    headers={"authorization": f"Bearer {os.environ['TRILHA_FUZZ_KEY']}"},
)
POOLS: dict[str, list[str]] = json.loads(os.environ["TRILHA_FUZZ_IDS"])
IDS = [id for pool in POOLS.values() for id in pool]
TODAY = datetime.now(UTC).replace(microsecond=0)
SOON = (TODAY + timedelta(days=2)).isoformat()
SPAN = {name: (TODAY - timedelta(hours=hours)).isoformat() for name, hours in (("since", 9), ("until", 1))}
CALLS = itertools.count()
BEGINNING = f"evt_{'0' * 32}"
# Stands for a cursor until the call is sent, because only then the filters that it belongs to are known.
CURSOR = "a-cursor-of-this-list"


def days(least: int, most: int) -> st.SearchStrategy[datetime]:
    return st.integers(least, most).map(lambda count: TODAY + timedelta(days=count))


def numbers_of(*forms: str) -> st.SearchStrategy[str]:
    """Returns one of the patterns with a digit for every #."""
    return st.builds(
        lambda form, digits: "".join(next(digits) if c == "#" else c for c in form),
        st.sampled_from(forms),
        st.integers(0, 10**12 - 1).map(lambda number: iter(f"{number:012}")),
    )


atom = st.text("abcxyzABC019!#$%&'*+-/=?^_`{|}~", min_size=1, max_size=12)
label = st.from_regex(r"[a-z0-9]([a-z0-9]{0,10}[a-z0-9])?", fullmatch=True)
email = st.builds(
    lambda local, domain, top: f"{'.'.join(local)}@{'.'.join(domain)}.{top}",
    st.lists(atom, min_size=1, max_size=4),
    st.lists(label, min_size=1, max_size=3),
    st.sampled_from(["com", "com.br", "test", "museum"]),
)
# Texts of every length that tests a limit.
longest_email = st.integers(250, 254).map(
    lambda length: ("l" * 64 + "@" + ("d" * 59 + ".") * 4)[: length - 4] + "x.br"
)
moment = st.builds(
    lambda day, fraction, offset: day.strftime("%Y-%m-%dT%H:%M:%S") + fraction + offset,
    days(2, 25_000),
    st.sampled_from(["", ".5", ".123", ".999999"]),
    st.sampled_from(["Z", "+00:00", "-03:00", "+14:00"]),
)
# Also draws lengths that exceed a limit by one, for calls that must be refused.
phone = numbers_of(
    "11#######",
    "1133######",
    "119########",
    "21 3###-####",
    "(48) 3###-####",
    "+55 99 9####-####",
    "+55 (81) 9####-####",
    "+55 (61) 9 ####-####",
    "+55 (61) 9 #### -####",
)
cpf = st.builds(
    lambda number, form: form.format(number[:3], number[3:6], number[6:9], number[9:]),
    st.sampled_from([CPF().generate() for _ in range(200)]),
    st.sampled_from(["{}{}{}{}", "{}{}{}-{}", "{}.{}{}-{}", "{}.{}.{}-{}", "{}.{}.{}--{}", "{}{}{}"]),
)
cnh = st.one_of(
    st.sampled_from([CNH().generate() for _ in range(200)]), numbers_of("##########", "############")
)
for name, strategy in {
    "cpf": cpf,
    "cnh": cnh,
    "br-phone": phone,
    "birth-date": days(-45_000, -6_600).map(lambda day: day.date().isoformat()),
    "expiry-date": days(2, 10_000).map(lambda day: day.date().isoformat()),
    "email": st.one_of(email, email, longest_email),
    "date-time": moment,
    "uuid": st.one_of(st.sampled_from(IDS), st.sampled_from(IDS), st.uuids(version=4).map(str)),
    "cursor": st.just(CURSOR),
}.items():
    schemathesis.openapi.format(name, strategy)


# The example of RFC 8291.
PUSH_KEYS = {
    "p256dh": "BNcRdreALRFXTkOOUHK1EtK2wtaz5Ry4YfYCA_0QTpQtUbVlUls0VJXg7A8u-Ts1XbjhazAkj7I99e8QcYP7DkM",
    "auth": "tBHItJI5svbpez7KI4CCXg",
}
TARGETS = ("course_id", "learning_path_id", "due_days", "due_on")


def be_consistent(body: dict[str, Any]) -> None:
    """Keeps what a schema cannot say: fields that the company has, and members that exclude each other."""
    for container in (body, *items_of(body)):
        if isinstance(container, dict) and "custom_fields" in container:
            container["custom_fields"] = {}
    if "rule" in body:
        body["rule"] = {"all": []}
    if "title" in body and "rule" in body and "cursor" not in body:
        course = body.get("course_id") or next(iter(POOLS["course_id"]))
        body |= {"course_id": course, "learning_path_id": None, "due_days": 30, "due_on": None}
    elif body.keys() & {"renew_months", "window_days", "cancel_not_started", "rule"}:
        for name in TARGETS:
            body.pop(name, None)
    if "sessions" in body:
        body |= {name: POOLS[f"class_{name}"][0] for name in ("course_id", "module_id")}
    if "endpoint" in body:
        body |= {"endpoint": "https://push.example.com/a", "keys": PUSH_KEYS}
    if isinstance(body.get("working_days"), list):
        body["working_days"] = sorted(set(body["working_days"]))


@schemathesis.hook
def before_call(context: HookContext, case: Case, kwargs: dict[str, Any]) -> None:
    for container in (case.path_parameters, case.query, case.body, *items_of(case.body)):
        if isinstance(container, dict):
            point_at_the_right_kind(container)
            expire_later(container)
            if is_positive(case):
                belong_to_a_unit(container)
                avoid_common_passwords(container)
    if is_positive(case) and isinstance(case.body, dict):
        give_few_passwords(case.body)
        be_consistent(case.body)
    if case.operation.path.endswith("/suspend"):
        spare_most(case.path_parameters)
    be_new(case)
    if case.operation.path.endswith("/replay") and is_positive(case) and isinstance(case.body, dict):
        case.body |= {name: moment for name, moment in SPAN.items() if name in case.body}
    if isinstance(case.query, dict):
        look_back(case.query)
        if is_positive(case) and "after" in case.query:
            case.query["after"] = BEGINNING  # the ids of events are unknown here
        if case.query.get("cursor") == CURSOR or (is_positive(case) and "cursor" in case.query):
            fetch_cursor(case)


def is_positive(case: Case) -> bool:
    return case.meta is None or case.meta.generation.mode.is_positive


def spare_most(path: dict[str, Any]) -> None:
    """Suspends the same few people again and again, so that the others can be enrolled."""
    if path.get("user_id") in IDS:
        path["user_id"] = POOLS["user_id"][IDS.index(path["user_id"]) % 5]


def be_new(case: Case) -> None:
    """Makes most addresses and keys unique; otherwise nearly every call would get 409."""
    number = next(CALLS)
    if (number % 4 == 0 and case.operation.path != "/webhooks") or not is_positive(case):
        return
    if isinstance(case.body, dict) and isinstance(email := case.body.get("email"), str):
        # A case may come here again with the number that it got before.
        local, at, domain = re.sub(r"^n\d+\.", "", email).partition("@")
        if at and len(local) < 50:
            case.body["email"] = f"n{number}.{local}@{domain}"
    key = case.headers.get("Idempotency-Key", "") if case.headers else ""
    # A repeated key returns the stored answer, although the webhook may be deleted by then.
    if key.isalnum() or (key and case.operation.path == "/webhooks"):
        case.headers["Idempotency-Key"] = f"{key[:200]}{number}"


def items_of(body: object) -> list[object]:
    lists = (
        [body.get(name) for name in ("enrollments", "users", "completions")] if isinstance(body, dict) else []
    )
    return [item for each in lists if isinstance(each, list) for item in each]


def point_at_the_right_kind(container: dict[str, Any]) -> None:
    """Replaces an id of another kind of object with an existing id of the right kind."""
    for name, pool in POOLS.items():
        if isinstance(value := container.get(name), str) and value in IDS:
            container[name] = pool[IDS.index(value) % len(pool)]


def belong_to_a_unit(container: dict[str, Any]) -> None:
    """Replaces an unknown unit, which gives 400: no schema lists the existing ones."""
    unit, pool = container.get("business_unit_id"), POOLS["business_unit_id"]
    if isinstance(unit, str) and unit not in pool:
        container["business_unit_id"] = pool[len(unit) % len(pool)]


def avoid_common_passwords(container: dict[str, Any]) -> None:
    """Appends words to a password: no schema lists those that many people use."""
    if isinstance(password := container.get("password"), str) and len(password) >= 8:
        container["password"] = f"{password[:100]} quill horse"


def give_few_passwords(body: dict[str, Any]) -> None:
    """Limits the number of passwords in one call: no schema states the maximum."""
    users = body.get("users")
    for user in users[MAX_PASSWORDS:] if isinstance(users, list) else []:
        if isinstance(user, dict):
            user.pop("password", None)


def look_back(query: dict[str, Any]) -> None:
    """Moves half of the moments in queries to the past. They are drawn in the future, for expiries."""
    since = query.get("updated_since")
    if isinstance(since, str) and since.startswith("20") and since.endswith(("Z", "+14:00")):
        query["updated_since"] = "2020" + since[4:]


def expire_later(container: dict[str, Any]) -> None:
    """Moves expiries to the future, because one from an earlier answer may have passed. The year is a leap
    year, so that every day exists.
    """
    expires = container.get("expires_at")
    if isinstance(expires, str) and expires.startswith("20") and expires < SOON:
        container["expires_at"] = "2032" + expires[4:]


def fetch_cursor(case: Case) -> None:
    filters = {name: value for name, value in case.query.items() if name not in ("cursor", "limit")}
    answer = HTTP.get(case.formatted_path, params=filters | {"limit": 1})
    if answer.status_code != 200:
        return
    if (cursor := answer.json()["next_cursor"]) is None:
        del case.query["cursor"]
    else:
        case.query["cursor"] = cursor
