"""The introductions of the generated pages."""

from trilha.platform.events.lists import VISIBLE_PERIOD
from trilha.platform.events.schema import BEGINNING

OPENINGS = {
    "permissions": """\
# Permissions

Who may do what on the pages, by role. A manager (`gestor`) sees and enrolls the people of the business
units they manage, and of those below; an instructor (`instrutor`) sees the courses they teach and those who
learn in them; an administrator (`admin`) everything.
""",
    "errors": """\
# Errors

Every code there is. What the members of an error mean is in [Concepts](concepts.md#errors); quote
`request_id` when you ask about one.
""",
    "events": """\
# Events

Each change writes an event, in the commit that makes the change. What a change leaves as it was writes none.
The feed shows events and webhooks bring them, in one envelope.
""",
    "settings": """\
# Settings

Trilha reads these environment variables once, when it starts. It does not start if a value is invalid, or if
it finds an unknown `TRILHA_` variable. It ignores those of clients: `TRILHA_URL`, `TRILHA_API_KEY` and
`TRILHA_WEBHOOK_SECRET`. `trilha settings` shows the current values.
""",
    "commands": """\
# Command line

You find `trilha` in `.venv/bin` after `make setup`, or after you installed the wheel there. You can run every
command while a server uses the same data folder. With `--json` it prints JSON. If a command fails, it writes
one sentence to standard error and exits with 1; a wrong option exits with 2.
""",
    "routes": """\
# Routes

Every operation of `/v1`. `/api/v1` is the same surface under another name. The machine-readable description
is at `/openapi.json`, a page to read it with at `/docs`.
""",
}

ENVELOPE = """\
## The envelope

```json
{example}
```

| Member | Meaning |
| --- | --- |
| `id` | Names the event for ever: act once on each |
| `type` | One of [the types](#types). More are added without notice; pass over those you do not know |
| `created` | When it happened, in Unix seconds |
| `version` | The form of `data` |
| `tenant_id` | Whose it is |
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

The events of the last {VISIBLE_PERIOD.days} days, newest first, on [pages](concepts.md#pages-and-cursors).
`type` keeps one type, `since` what was created at or after a moment. The scope is `webhooks:read`.

Events about one thing are in the order of its changes, however close together these were and whatever a
server's clock said: the last event about a user agrees with the user's status.

### Forward

To follow what happens, ask for what came `after` the last event you have seen, oldest first. None is missed
and none comes twice, whatever is committed when. `{BEGINNING}` is before all.

```sh
curl -s -H "Authorization: Bearer $KEY" \\
  "http://127.0.0.1:8000/v1/events?after={BEGINNING}&limit=100"
```

An event is there some fifty milliseconds after its change, when the worker has made its deliveries; a
`webhook.test` is not among them. Of an event that is kept no longer `after` is 400 `unknown_event`
([why it is so](decisions/0044-events-forward.md)).
"""
EVENT_TYPES = """\
## Types

Each with the members of its `data`; more may be added to any. The same, with JSON Schemas:

```sh
curl -s -H "Authorization: Bearer $KEY" http://127.0.0.1:8000/v1/webhooks/event-types
```
"""
