// An article. Reports how far it was visible, and for how long.
import { isCurrent, word } from "../scripts/recovery.js";
import { onExit } from "../scripts/exit.js";
import { launch, start } from "../scripts/launch.js";
import { recall } from "../scripts/snapshot.js";
import { Study } from "../scripts/study.js";

const TICK = 250;
const NEAR = 4; // pixels
const { connection, heartbeat, state } = start();
const settings = launch.article;
const end = document.getElementById("end");
const last = recall("read");
let seconds = Math.max(settings.seconds, last?.seconds ?? 0);
let furthest = Math.max(settings.furthest, last?.furthest ?? 0);
const begin = last?.position ?? settings.position;
let progress = settings.progress;
let done = settings.completed;

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
  const left = Math.ceil(settings.needed - seconds);
  const words = done ? word("done") : furthest >= 1 && left > 0 ? (left === 1 ? word("second") : word("time", { seconds: left })) : word("on", { percent: `${Math.floor(progress)}%` });
  const told = document.getElementById("told");
  if (told.textContent !== words) told.textContent = words;
}

function look() {
  const now = seen();
  if (now <= furthest) return;
  furthest = now;
  study.note();
  if (furthest >= 1 && seconds >= settings.needed) study.tell();
}

setInterval(() => {
  if (document.visibilityState === "hidden" || seconds >= settings.needed) return;
  seconds = Math.min(seconds + TICK / 1000, settings.needed);
  study.note();
  if (seconds >= settings.needed) study.tell();
  if (furthest >= 1) show();
}, TICK);

// A video on another site loads only after this click.
const players = { youtube: "https://www.youtube-nocookie.com/embed/", vimeo: "https://player.vimeo.com/video/" };
for (const link of document.querySelectorAll(".embed__play")) {
  const button = document.createElement("button");
  button.type = "button";
  button.className = link.className;
  button.textContent = link.textContent;
  button.addEventListener("click", () => {
    const box = button.closest(".embed");
    const frame = document.createElement("iframe");
    frame.src = `${players[box.dataset.provider]}${box.dataset.video}?autoplay=1`;
    frame.title = box.dataset.title;
    frame.allow = "autoplay; fullscreen; encrypted-media; picture-in-picture";
    frame.referrerPolicy = "strict-origin-when-cross-origin";
    box.replaceChildren(frame);
    frame.focus();
  });
  link.replaceWith(button);
}

document.getElementById("finish").addEventListener("click", () => state.finish());
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
  onExit(connection, state, () => study.exit());
  document.getElementById("finish").disabled = false;
  await document.fonts?.ready;
  if (begin && !done) window.scrollTo(0, begin * document.documentElement.scrollHeight);
  window.focus(); // so that arrow keys scroll at once
  look();
  show();
}
