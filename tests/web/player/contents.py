"""Small SCOs that show the runtime's values, and act when a test presses a button."""

import json

from training.scorm.packages import item, manifest, resource, zipped

_NAMES = {
    "1.2": ("API", "LMSInitialize", "LMSFinish", "LMSGetValue", "LMSSetValue", "LMSCommit"),
    "2004": ("API_1484_11", "Initialize", "Terminate", "GetValue", "SetValue", "Commit"),
}
_ELEMENTS = {
    "1.2": {
        "entry": "cmi.core.entry",
        "location": "cmi.core.lesson_location",
        "answer": [
            ("cmi.interactions.0.id", "q1"),
            ("cmi.interactions.0.type", "choice"),
            ("cmi.interactions.0.student_response", "a"),
            ("cmi.interactions.0.result", "correct"),
        ],
        "pass": [("cmi.core.score.raw", "90"), ("cmi.core.lesson_status", "passed")],
        "fail": [("cmi.core.score.raw", "20"), ("cmi.core.lesson_status", "failed")],
        "suspend": [("cmi.core.exit", "suspend")],
    },
    "2004": {
        "entry": "cmi.entry",
        "location": "cmi.location",
        "answer": [
            ("cmi.interactions.0.id", "q1"),
            ("cmi.interactions.0.type", "choice"),
            ("cmi.interactions.0.learner_response", "a"),
            ("cmi.interactions.0.result", "correct"),
        ],
        "fail": [
            ("cmi.score.scaled", "0.2"),
            ("cmi.success_status", "failed"),
            ("cmi.completion_status", "completed"),
        ],
        "pass": [
            ("cmi.score.scaled", "0.9"),
            ("cmi.success_status", "passed"),
            ("cmi.completion_status", "completed"),
        ],
        "suspend": [("cmi.exit", "suspend")],
    },
}
_PAGE = """<!doctype html><meta charset="utf-8"><title>SCO</title>
<p id="said"></p><p id="last"></p>
<button data-do="answer">answer</button><button data-do="commit">commit</button>
<button data-do="pass">pass</button><button data-do="fail">fail</button>
<button data-do="next">next</button><button data-do="finish">finish</button>
<textarea id="state"></textarea><button data-do="keep">keep</button>
<script>
const names = %(names)s, elements = %(elements)s;
let at = window;
while (!at[names[0]] && at.parent !== at) at = at.parent;
const api = at[names[0]];
const [, initialize, terminate, get, set, commit] = names;
const last = (result) => { document.getElementById("last").textContent = result; };
const setAll = (pairs) => { for (const [name, value] of pairs) last(api[set](name, value)); };
api[initialize]("");
document.getElementById("said").textContent = api[get](elements.entry) + "|" + api[get](elements.location);
document.getElementById("state").value = api[get]("cmi.suspend_data");
const acts = {
  answer() { setAll(elements.answer); setAll([[elements.location, "page 2"]]); },
  commit() { last(api[commit]("")); },
  pass() { setAll(elements.pass); },
  fail() { setAll(elements.fail); },
  keep() { setAll([["cmi.suspend_data", document.getElementById("state").value]]); last(api[commit]("")); },
  next() { setAll([["adl.nav.request", "continue"]]); last(api[terminate]("")); },
  finish() { setAll(elements.suspend); last(api[terminate]("")); },
};
document.addEventListener("click", (event) => acts[event.target.dataset.do]?.());
%(more)s
</script>
"""


def page(version: str, more: str = "") -> str:
    return _PAGE % {
        "names": json.dumps(_NAMES[version]),
        "elements": json.dumps(_ELEMENTS[version]),
        "more": more,
    }


def sco(version: str, more: str = "") -> bytes:
    """Builds a package with one part, whose page runs `more` at its end."""
    files = [("imsmanifest.xml", manifest(version=version)), ("index.html", page(version, more))]
    return zipped(files)


_TELLS = (
    '<imsss:objectives><imsss:primaryObjective objectiveID="own">'
    '<imsss:mapInfo targetObjectiveID="learnt" writeSatisfiedStatus="true"/>'
    "</imsss:primaryObjective></imsss:objectives>"
)
_HEARS = (
    '<imsss:objectives><imsss:primaryObjective objectiveID="own"/><imsss:objective objectiveID="shared">'
    '<imsss:mapInfo targetObjectiveID="learnt" readSatisfiedStatus="true" writeSatisfiedStatus="false"/>'
    "</imsss:objective></imsss:objectives>"
)
_SKIP = """
<imsss:sequencingRules><imsss:preConditionRule><imsss:ruleConditions>
<imsss:ruleCondition referencedObjective="shared" condition="satisfied"/></imsss:ruleConditions>
<imsss:ruleAction action="skip"/></imsss:preConditionRule></imsss:sequencingRules>"""


def sequenced() -> bytes:
    """Builds a package with sequencing rules: a test, a lesson that is skipped if the test was passed, and an
    end.
    """
    items = "".join(
        item(id, f"<imsss:sequencing>{rules}</imsss:sequencing>" if rules else "", title=title)
        for id, title, rules in (("i1", "Test", _TELLS), ("i2", "Lesson", _SKIP + _HEARS), ("i3", "End", ""))
    )
    control = '<imsss:sequencing><imsss:controlMode choice="true" flow="true"/></imsss:sequencing>'
    resources = "".join(resource(f"r-i{n}", f"{n}.html") for n in (1, 2, 3))
    xml = manifest(items, resources, version="2004", more=control)
    return zipped([("imsmanifest.xml", xml), *((f"{n}.html", page("2004")) for n in (1, 2, 3))])
