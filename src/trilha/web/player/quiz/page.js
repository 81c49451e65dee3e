// A quiz with an open attempt. Every change sends all answers together, so that a lost report loses nothing.
import { onExit } from "../scripts/exit.js";
import { start } from "../scripts/launch.js";
import { recall } from "../scripts/snapshot.js";
import { Clock } from "./clock.js";
import { Voice } from "./voice.js";

const TYPING = 700;
const { connection, heartbeat, state } = start();
const quiz = document.getElementById("quiz");
const dialog = document.getElementById("confirm");
const sections = [...quiz.querySelectorAll(".quiz__question")];
const links = [...quiz.querySelectorAll("[data-go]")];
const word = (name) => document.getElementById("words").content.querySelector(`[data-word="${name}"]`).textContent;
const opened = performance.now();
// After a reload the page is another one, which begins at its top.
history.scrollRestoration = "manual";
const looked = new Map();
let at = 0;
let since = opened;
let typing = null;
let clock = null;

const questions = sections.map((section) => {
  const asked = section.querySelector("[data-question]");
  return { section, asked, id: asked.dataset.question, kind: asked.dataset.kind };
});
const voices = new Map(questions.filter((each) => each.kind === "voice").map((each) => [each.id, new Voice(each.asked, {
  state,
  address: (id) => new URL(`voice/${id}`, `${location.origin}${location.pathname.replace(/\/?$/, "/")}`).href,
  seconds: () => seconds(each.id),
  changed: () => mark(),
  remove: () => send(),
  closed: () => location.reload(),
})]));

function response({ asked, kind, id }) {
  if (kind === "voice") return null;
  const text = asked.querySelector(".asked__input");
  if (text) return text.value.trim();
  const chosen = [...asked.querySelectorAll("input")].filter((each) => each.checked).map((each) => each.value);
  if (kind === "true_false") return chosen.length ? chosen[0] === "true" : null;
  return chosen;
}

// Gives the answers of the last report to a page that is shown from what is saved.
function restore(answers) {
  for (const { asked, kind, id } of questions) {
    if (kind === "voice" || !(id in answers)) continue;
    const { response: given } = answers[id];
    const field = asked.querySelector(".asked__input");
    if (field) field.value = given ?? "";
    else for (const each of asked.querySelectorAll("input")) each.checked = [given].flat().map(String).includes(each.value);
  }
}

function isAnswered(question) {
  if (question.kind === "voice") return voices.get(question.id).isKept;
  if (!question.section.querySelector("[data-problem]").hidden) return false;
  const said = response(question);
  return said !== null && said !== "" && !(Array.isArray(said) && !said.length);
}

// The seconds for which a question was visible; if all are shown, since the page was opened.
function seconds(id) {
  const here = questions[at].id === id ? performance.now() - since : 0;
  return Math.round(((looked.get(id) ?? 0) + here) / 100) / 10;
}

function body(more = {}) {
  const answers = {};
  for (const each of questions) {
    // A recording is sent by itself; it appears here only to be removed.
    if (each.kind === "voice") {
      if (voices.get(each.id).isRemoved) answers[each.id] = { response: null };
    } else answers[each.id] = { response: response(each), latency: seconds(each.id) };
  }
  return { answers, ...more };
}

function send() {
  clearTimeout(typing);
  typing = null;
  state.dirty = false;
  connection.push("answers", body(), { replaces: true });
  mark();
}

function mark() {
  questions.forEach((each, n) => {
    const answered = isAnswered(each);
    if (!links[n]) return;
    links[n].toggleAttribute("data-answered", answered);
    links[n].querySelector("[data-words]").textContent = answered ? `: ${word("answered")}` : "";
  });
}

// Shows which answers the server did not save.
connection.onAnswer = (kind, answer) => {
  if (kind !== "answers") return;
  if (answer.outcome === "CLOSED" || clock?.isOver) return location.reload();
  clock?.sync(answer.remaining);
  for (const { section, id } of questions) {
    const problem = section.querySelector("[data-problem]");
    const code = answer.problems?.[id];
    problem.hidden = !code;
    if (code) problem.querySelector("span").textContent = word(["invalid_number", "too_long"].includes(code) ? code : "other");
    const input = section.querySelector(".asked__input");
    if (code) input?.setAttribute("aria-invalid", "true"); else input?.removeAttribute("aria-invalid");
  }
  mark();
};

quiz.addEventListener("change", (event) => {
  if (!event.target.closest("[data-voice]") && event.target.closest("[data-question]")) send();
});
quiz.addEventListener("input", (event) => {
  if (!event.target.classList.contains("asked__input")) return;
  state.dirty = true;
  clearTimeout(typing);
  typing = setTimeout(send, TYPING);
  count(event.target);
});

// Shows how many words an essay has.
function count(input) {
  const shown = input.closest("[data-question]").querySelector("[data-count]");
  if (!shown) return;
  const words = input.value.split(/\s+/).filter(Boolean).length;
  shown.textContent = words === 1 ? word("words_one") : word("words_many").replace("{n}", words.toLocaleString(document.documentElement.lang));
}

// Enter goes to the next question.
quiz.addEventListener("keydown", (event) => {
  if (event.key !== "Enter" || !event.target.matches("input.asked__input")) return;
  event.preventDefault();
  if (at < sections.length - 1) show(at + 1);
});

function show(n, { focus = true } = {}) {
  const now = performance.now();
  looked.set(questions[at].id, (looked.get(questions[at].id) ?? 0) + now - since);
  since = now;
  at = Math.min(Math.max(n, 0), sections.length - 1);
  sections.forEach((each, number) => { each.hidden = quiz.dataset.view === "one" && number !== at; });
  links.forEach((each, number) => number === at && quiz.dataset.view === "one" ? each.setAttribute("aria-current", "step") : each.removeAttribute("aria-current"));
  for (const button of quiz.querySelectorAll("[data-step]")) {
    button.hidden = quiz.dataset.view === "all" || sections.length === 1;
    button.disabled = button.dataset.step === "-1" ? at === 0 : at === sections.length - 1;
  }
  // "Next" is the primary button until the last question, then "Submit quiz" is.
  const last = quiz.dataset.view === "all" || at === sections.length - 1;
  quiz.querySelector("[data-step='1']").classList.toggle("btn--primary", !last);
  quiz.querySelector("[data-hand-in]").classList.toggle("btn--primary", last);
  if (focus) {
    sections[at].focus({ preventScroll: quiz.dataset.view === "one" });
    if (quiz.dataset.view === "one") scrollTo(0, 0);
  }
}

for (const button of quiz.querySelectorAll("[data-step]")) {
  button.addEventListener("click", () => show(at + Number(button.dataset.step)));
}
for (const link of links) {
  link.addEventListener("click", (event) => { event.preventDefault(); show(Number(link.dataset.go)); });
}
quiz.querySelector("[data-hand-in]").addEventListener("click", () => {
  const missing = questions.map((each, n) => [each, n]).filter(([each]) => !isAnswered(each));
  const list = dialog.querySelector(".quiz__missing");
  list.replaceChildren(...missing.map(([, n]) => {
    const item = document.createElement("li"), link = document.createElement("a");
    link.href = `#question-${n + 1}`;
    link.textContent = word("question").replace("{n}", String(n + 1));
    link.addEventListener("click", (event) => { event.preventDefault(); dialog.close(); show(n); });
    item.append(link);
    return item;
  }));
  dialog.querySelector("[data-missing]").hidden = !missing.length;
  dialog.querySelector("[data-unsent]").hidden = ![...voices.values()].some((each) => each.isUnsent);
  dialog.showModal();
  dialog.querySelector("[data-cancel]").focus();
});
dialog.querySelector("[data-cancel]").addEventListener("click", () => dialog.close());
dialog.querySelector("[data-confirm]").addEventListener("click", async (event) => {
  const button = event.currentTarget;
  const failed = quiz.querySelector("[data-failed]");
  button.setAttribute("aria-busy", "true");
  button.disabled = true;
  failed.hidden = true;
  if (await submit()) return location.reload();
  if (clock?.isOver) return;
  // The submission must not happen later without the learner knowing: only the answers stay queued.
  connection.push("answers", body(), { replaces: true });
  button.removeAttribute("aria-busy");
  button.disabled = false;
  dialog.close();
  failed.hidden = false;
});

// Resolves to whether the server has the answers, or has closed the attempt.
async function submit() {
  clearTimeout(typing);
  state.dirty = false;
  connection.push("answers", body({ hand_in: true }), { replaces: true });
  return (await connection.drain(15_000)) || connection.ended === "refused";
}

// The time is over. The submission stays queued if there is no connection; the server closes the attempt anyway.
async function finish() {
  if (dialog.open) dialog.close();
  for (const { section } of questions) section.inert = true;
  for (const button of quiz.querySelectorAll(".quiz__steps button")) button.disabled = true;
  for (const each of voices.values()) await each.end();
  quiz.querySelector("[data-told]").textContent = word("over");
  if (await submit()) return location.reload();
  quiz.querySelector("[data-over]").hidden = false;
}

window.addEventListener("pagehide", () => {
  for (const each of voices.values()) each.stop();
  if (state.dirty) connection.leave("answers", body());
});
document.addEventListener("visibilitychange", () => {
  if (document.visibilityState === "hidden" && state.dirty && typing) send();
  // The device may have slept; the answer holds the remaining time.
  else if (document.visibilityState === "visible" && clock && !clock.isOver) send();
});

// Sends what an earlier page left unsent. That makes this page out of date, so it is reloaded once.
if (!history.state?.again && (await connection.recover())) {
  history.replaceState({ again: true }, "");
  location.reload();
} else {
  restore(recall("answers")?.answers ?? {});
  show(Math.max(questions.findIndex((each) => !isAnswered(each)), 0), { focus: false });
  mark();
  const box = quiz.querySelector("[data-clock]");
  if (box) {
    const told = quiz.querySelector("[data-told]");
    clock = new Clock(box, { tell: (seconds) => { told.textContent = word(`left_${seconds}`); }, over: finish });
  }
  quiz.dataset.ready = "";
  heartbeat.begin();
  onExit(connection, state, async () => {
    for (const each of voices.values()) await each.end();
    if (state.dirty) send();
  });
}
