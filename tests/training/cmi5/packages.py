"""Packages of cmi5 content that runs in a browser, and acts when a test presses a button."""

import io
import zipfile
from collections.abc import Mapping

AU = "https://publisher.example/cmi5/parts/"
NAMESPACE = "https://w3id.org/xapi/profiles/cmi5/v1/CourseStructure.xsd"
_PAGE = """<!doctype html><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>AU</title><p id="said"></p><p id="last"></p>
<button data-do="answer">answer</button><button data-do="pass">pass</button>
<button data-do="complete">complete</button><button data-do="keep">keep</button>
<button data-do="exit">exit</button>
<script>
const given = Object.fromEntries(new URLSearchParams(location.search));
const verbs = "http://adlnet.gov/expapi/verbs/", cmi5 = "https://w3id.org/xapi/cmi5/context/";
const last = (text) => { document.getElementById("last").textContent = text; };
let token, data;
async function call(method, path, parameters, body) {
  const headers = { Authorization: `Basic ${token}`, "X-Experience-API-Version": "1.0.3" };
  if (body) headers["Content-Type"] = "application/json";
  const address = `${given.endpoint}/${path}?${new URLSearchParams(parameters)}`;
  return fetch(address, { method, headers, body: body && JSON.stringify(body) });
}
const { activityId, registration, actor: agent } = given;
const state = (stateId) => ({ activityId, agent, registration, stateId });
async function send(verb, { result, category = [], object, extensions } = {}) {
  const context = structuredClone(data.contextTemplate);
  context.registration = registration;
  const activities = context.contextActivities ??= {};
  if (category.length) activities.category = category.map((name) => ({ id: `${cmi5}categories/${name}` }));
  Object.assign(context.extensions, extensions);
  const answer = await call("POST", "statements", {}, {
    id: crypto.randomUUID(), timestamp: new Date().toISOString(), actor: JSON.parse(agent), context,
    verb: { id: verbs + verb }, object: object ?? { id: activityId }, ...(result && { result }),
  });
  last(`${verb} ${answer.status}`);
}
const acts = {
  answer: () => send("answered", {
    object: { id: `${activityId}/q1`, definition: {
      type: "http://adlnet.gov/expapi/activities/cmi.interaction", interactionType: "true-false",
      description: { "pt-BR": "O cinto é obrigatório?" }, correctResponsesPattern: ["true"] } },
    result: { response: "true", success: true },
  }),
  pass: () => send("passed", {
    category: ["cmi5", "moveon"], extensions: { [`${cmi5}extensions/masteryscore`]: data.masteryScore },
    result: { success: true, duration: "PT9S", score: { scaled: 0.9 } },
  }),
  complete: () => send("completed", {
    category: ["cmi5", "moveon"], result: { completion: true, duration: "PT9S" },
  }),
  keep: async () => {
    const answer = await call("PUT", "activities/state", state("place"), { page: 3 });
    last(`kept ${answer.status}`);
  },
  exit: async () => {
    await send("terminated", { category: ["cmi5"], result: { duration: "PT10S" } });
    location.href = data.returnURL;
  },
};
for (const each of document.querySelectorAll("[data-do]"))
  each.addEventListener("click", () => acts[each.dataset.do]());
(async () => {
  token = (await (await fetch(given.fetch, { method: "POST" })).json())["auth-token"];
  data = await (await call("GET", "activities/state", state("LMS.LaunchData"))).json();
  await call("GET", "agents/profile", { agent, profileId: "cmi5LearnerPreferences" });
  await send("initialized", { category: ["cmi5"] });
  const place = await call("GET", "activities/state", state("place"));
  const page = place.ok ? (await place.json()).page : 0;
  document.getElementById("said").textContent = `${data.launchMode} ${page}`;
})();
</script>
"""


def unit(number: int, method: str = "AnyWindow", **attributes: str) -> str:
    """Returns an assignable unit of a course structure."""
    every = {"moveOn": "Passed", "masteryScore": "0.8", "launchMethod": method} | attributes
    written = " ".join(f'{name}="{value}"' for name, value in every.items())
    title = _write("title", f"Parte {number}")
    return f'<au id="{AU}{number}" {written}>{title}{_write("description", "")}<url>index.html</url></au>'


def _write(name: str, text: str) -> str:
    return f'<{name}><langstring lang="pt-BR">{text}</langstring></{name}>'


def structure(*parts: str) -> str:
    """Returns a course structure with these units and blocks."""
    course = (
        f'<course id="https://publisher.example/cmi5">{_write("title", "Altura")}{_write("description", "")}'
    )
    return f'<courseStructure xmlns="{NAMESPACE}">{course}</course>{"".join(parts)}</courseStructure>'


def zipped(files: Mapping[str, str]) -> bytes:
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, text in files.items():
            archive.writestr(name, text)
    return content.getvalue()


def package(*units: str) -> bytes:
    """Returns a package whose units all show the same page."""
    return zipped({"cmi5.xml": structure(*units), "index.html": _PAGE})
