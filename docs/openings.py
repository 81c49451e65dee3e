"""The opening of each generated page, and the hand-written parts of events.md."""

from trilha.events.queries import SHOWN
from trilha.events.schema import BEGINNING

OPENINGS = {
    "permissions": """\
# Permissions

What each role may do, and which pages it can open:

- An administrator (`admin`) sees and changes everything.
- A manager (`gestor`) sees and enrolls the people of the business units they manage, and of the units below.
- An instructor (`instrutor`) sees the courses they teach, and the people enrolled in them.
- A `learner` sees only their own data.
""",
    "errors": """\
# Errors

This page lists every error code. [Concepts](concepts.md#errors) explains the members of an error. If you
ask for help with one, quote its `request_id`.
""",
    "events": """\
# Events

Every change writes an event, in the commit that makes the change. A call that changes nothing writes none.
Read events from the feed, or receive them by [webhook](webhooks.md); both use the same envelope.
""",
    "settings": """\
# Settings

Configure Trilha with environment variables, which it reads once at startup. It does not start if a value is
wrong, or if it does not know a `TRILHA_` variable. (It ignores `TRILHA_URL`, `TRILHA_API_KEY` and
`TRILHA_WEBHOOK_SECRET`, which clients read.) `trilha settings` shows the values in use.
""",
    "commands": """\
# Command line

After `make setup`, `trilha` is `.venv/bin/trilha`. Every command works while a server runs on the same data
folder. With `--json`, a command prints JSON. An error is one sentence on standard error, with exit code 1; a
wrong option ends with exit code 2.
""",
    "routes": """\
# Routes

This page lists every operation of `/v1`. `/api/v1` is another address for the same. A running server has the
OpenAPI description at `/openapi.json`, and a reference to read at `/docs`.
""",
}

ENVELOPE = """\
## The envelope

```json
{example}
```

| Member | Meaning |
| --- | --- |
| `id` | The event's id, which never changes: handle each event once |
| `type` | One of [the types](#types). New types are added without notice; ignore those you do not know |
| `created` | When it happened, in Unix seconds |
| `version` | The version of `data` |
| `tenant_id` | The tenant in which it happened |
| `data` | The members of the type: ids, states and times, never a CPF, phone, birth date or CNH |
"""
FEED = f"""\
## The feed

```sh
curl -s -H "Authorization: Bearer $KEY" \\
  "http://127.0.0.1:8000/v1/events?type=enrollment.completed&limit=1"
```

```json
{{example}}
```

The feed returns the events of the last {SHOWN.days} days, newest first, in
[pages](concepts.md#pages-and-cursors). Filter by `type`, or by `since` for events created at or after a time.
You need the scope `webhooks:read`.

Events about one resource are in the order of its changes, however close together these were and whatever a
server's clock said: the last event about a user agrees with the user's status.

### Forward

To follow the feed, request what came `after` the last event you have seen; you get the oldest first. You miss
no event and get none twice, whatever the order of commits. `{BEGINNING}` stands for the beginning.

```sh
curl -s -H "Authorization: Bearer $KEY" \\
  "http://127.0.0.1:8000/v1/events?after={BEGINNING}&limit=100"
```

An event appears about fifty milliseconds after its change, once the worker has created its deliveries.
`webhook.test` events are not in the feed. If `after` names an event that is no longer stored, you get 400
`unknown_event` ([why](decisions/0044-events-forward.md)).
"""
EVENT_TYPES = """\
## Types

These are all types, with the members of their `data`. New members may be added to any of them. You can read
the same, with JSON Schemas, from the API:

```sh
curl -s -H "Authorization: Bearer $KEY" http://127.0.0.1:8000/v1/webhooks/event-types
```
"""
