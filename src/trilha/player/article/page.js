// A text. How far it was seen and for how long is told.
import { isCurrent, word } from "../scripts/current.js";
import { onExit } from "../scripts/exit.js";
import { launch, start } from "../scripts/launch.js";
import { Study } from "../scripts/study.js";

const TICK = 250;
const NEAR = 4; // pixels
const { connection, heartbeat, state } = start();
const given = launch.article;
const end = document.getElementById("end");
let seconds = given.seconds;
let furthest = given.furthest;
let progress = given.progress;
let done = given.completed;

const height = () => end.getBoundingClientRect().top + window.scrollY;
const seen = () => Math.min(1, (window.scrollY + window.innerHeight + NEAR) / Math.max(height(), 1));
const position = () => Math.min(1, window.scrollY / Math.max(document.documentElement.scrollHeight, 1));

const study = new Study("read", connection, state, () => ({
  seconds: Math.round(seconds * 100) / 100,
  furthest: Math.round(furthest * 10_000) / 10_000,
  position: Math.round(position() * 10_000) / 10_000,
}), (now) => {
  progress = Math.max(progress, now);
  if (progress >= 100) done = true;
  show();
});

function show() {
  const left = Math.ceil(given.needed - seconds);
  const words = done ? word("done") : furthest >= 1 && left > 0 ? (left === 1 ? word("second") : word("time", { seconds: left })) : word("on", { percent: `${Math.floor(progress)}%` });
  const told = document.getElementById("told");
  if (told.textContent !== words) told.textContent = words;
}

function look() {
  const now = seen();
  if (now <= furthest) return;
  furthest = now;
  study.note();
  if (furthest >= 1 && seconds >= given.needed) study.tell();
}

setInterval(() => {
  if (document.visibilityState === "hidden" || seconds >= given.needed) return;
  seconds = Math.min(seconds + TICK / 1000, given.needed);
  study.note();
  if (seconds >= given.needed) study.tell();
  if (furthest >= 1) show();
}, TICK);

let scrolling = null;
window.addEventListener("scroll", () => {
  clearTimeout(scrolling);
  scrolling = setTimeout(() => {
    look();
    study.soon();
  }, 200);
}, { passive: true });
window.addEventListener("resize", look);

if (await isCurrent(connection)) {
  heartbeat.begin();
  onExit(connection, state, () => study.tell(true));
  await document.fonts?.ready;
  if (given.position && !done) window.scrollTo(0, given.position * document.documentElement.scrollHeight);
  window.focus(); // its keys scroll at once
  look();
  show();
}
