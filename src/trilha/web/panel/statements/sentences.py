"""Says in one sentence what a statement states: Ana Lima completed “NR-35” with 90%."""

from decimal import Decimal
from typing import Any

from msgspec import Struct

from trilha.kit import N_, formats
from trilha.training.xapi.identifiers import activity_key
from trilha.training.xapi.people import ERASED_HOME_PAGE
from trilha.web.panel.statements import texts
from trilha.web.panel.statements.names import MAX_MEMBERS, Members, Names
from trilha.web.panel.statements.verbs import VERBS
from trilha.web.panel.view import PanelView

# Scores of greater values are not of people.
_LARGEST_SCORE = 1_000_000_000


class Wording(Struct, frozen=True):
    """The words for statements in the reader's language."""

    view: PanelView
    names: Names

    def describe(self, event: Members) -> str:
        values = {
            "actor": self.name_agent(event["actor"]),
            "verb": self.name_verb(event["verb"]),
            "object": self.name_object(event["object"]),
            "score": self.describe_score(event.get("result", {})),
        }
        if event["object"].get("objectType", "Activity") in ("Activity", "SubStatement"):
            if values["score"]:
                return self.view.say(N_("%(actor)s %(verb)s “%(object)s” with %(score)s"), **values)
            return self.view.say(N_("%(actor)s %(verb)s “%(object)s”"), **values)
        return self.view.say(N_("%(actor)s %(verb)s %(object)s"), **values)

    def name_agent(self, agent: Members) -> str:
        """Returns the name in the company, else the one in the statement, else an identifier."""
        if person := self.names.find_person(agent):
            return person.name
        account = agent.get("account", {})
        if account.get("homePage") == ERASED_HOME_PAGE:
            return self.view.say(N_("Erased person"))
        candidates = (agent.get("name"), agent.get("mbox", "").removeprefix("mailto:"), account.get("name"))
        for each in (*candidates, agent.get("openid")):
            if isinstance(each, str) and (text := texts.shorten(each, 80)):
                return text
        return self._name_group(agent)

    def _name_group(self, group: Members) -> str:
        members = group.get("member", ())
        if not members:
            return self.view.say(N_("Somebody"))
        words = [self.name_agent(each) for each in members[:MAX_MEMBERS]]
        if more := len(members) - len(words):
            words.append(self.view.say(N_("%(count)s more"), count=self.view.number(more)))
        return formats.join_words(self.view.page, words)

    def name_verb(self, verb: Members) -> str:
        """Returns the verb in the reader's language, or another if it is not known in that."""
        display, iri = verb.get("display"), verb["id"]
        locale = self.view.locale
        if text := texts.find_text(display, locale):
            return texts.shorten(text, 60)
        if iri in VERBS:
            return self.view.say(VERBS[iri])
        return texts.shorten(texts.find_any_text(display, locale), 60) or texts.humanize_iri(iri)

    def name_object(self, thing: Members) -> str:
        kind = thing.get("objectType", "Activity")
        if kind in ("Agent", "Group"):
            return self.name_agent(thing)
        if kind == "StatementRef":
            return self.view.say(N_("the learning record %(id)s"), id=thing["id"][:8].lower())
        return self.describe(thing) if kind == "SubStatement" else self.name_activity(thing)

    def name_activity(self, activity: Members) -> str:
        """Returns the title of a module, else the name in the statement, else the newest one, else the id."""
        iri, locale = activity["id"], self.view.locale
        stored = self.names.definitions.get(activity_key(iri), {}).get("name")
        sent = activity.get("definition", {}).get("name")
        candidates = (
            self.names.find_module(iri),
            texts.find_text(sent, locale),
            texts.find_text(stored, locale),
            texts.find_any_text(sent, locale),
            texts.find_any_text(stored, locale),
        )
        return texts.shorten(next((each for each in candidates if each), "")) or texts.humanize_iri(iri)

    def describe_score(self, result: Members) -> str:
        """Returns the score in words, or nothing."""
        score: dict[str, Any] = result.get("score", {})
        page = self.view.page
        if (scaled := score.get("scaled")) is not None:
            return formats.percent(page, Decimal(str(scaled)) * 100)
        raw, most = score.get("raw"), score.get("max")
        if raw is None or abs(raw) > _LARGEST_SCORE:
            return ""
        points = self._format_points(raw)
        if most is None or abs(most) > _LARGEST_SCORE:
            return self.view.say(N_("%(points)s points"), points=points)
        return self.view.say(N_("%(points)s of %(max)s points"), points=points, max=self._format_points(most))

    def _format_points(self, value: float) -> str:
        return formats.decimal(self.view.page, Decimal(str(value)), 0 if value == int(value) else 1)
