// A video in the browser's own player, which records the played parts itself.
import { isCurrent, word } from "../scripts/recovery.js";
import { onExit } from "../scripts/exit.js";
import { launch, start } from "../scripts/launch.js";
import { recall } from "../scripts/snapshot.js";
import { Study } from "../scripts/study.js";

const END = 2;
const STEP = 5;
const { connection, heartbeat, state } = start();
const video = document.getElementById("video");
const missing = document.getElementById("missing");
const finish = document.getElementById("finish");
const { needed, fastest } = launch.video;
const last = recall("watched");
const before = [...launch.video.ranges, ...(last?.ranges ?? [])];
const position = last?.position ?? launch.video.position;
let progress = launch.video.progress;
let done = launch.video.completed;
let told = "";
let endsNow = false;

const length = () => launch.video.length || (Number.isFinite(video.duration) ? video.duration : 0);

function merged(ranges) {
  const found = [];
  for (const [from, to] of [...ranges].sort((one, other) => one[0] - other[0])) {
    const last = found.at(-1);
    if (last && from <= last[1] + 0.5) last[1] = Math.max(last[1], to);
    else found.push([from, to]);
  }
  return found;
}

function played() {
  return [...Array(video.played.length).keys()].map((n) => [video.played.start(n), video.played.end(n)]);
}

const watched = () => merged([...before, ...played()]);
const seconds = () => watched().reduce((sum, [from, to]) => sum + to - from, 0);

function body() {
  return {
    ranges: watched().map(([from, to]) => [round(from), round(to)]),
    position: round(video.currentTime),
    length: Number.isFinite(video.duration) ? round(video.duration) : 0,
  };
}

const round = (second) => Math.round(second * 1000) / 1000;
const study = new Study("watched", connection, state, body, (now) => {
  progress = Math.max(progress, now);
  if (progress >= 100) done = true;
  show();
  // The server has counted the video to its end, which the learner has just reached.
  if (done && endsNow && video.ended) state.finish();
});

// Shows only what the server has counted, so that the figure never goes down.
function show() {
  const now = done ? word("done") : word("watched", { percent: `${Math.floor(progress)}%`, needed: `${Math.round(needed * 100)}%` });
  if (now !== told) document.getElementById("told").textContent = told = now;
  missing.hidden = done || !length() || !gap();
  finish.hidden = !video.ended;
  const map = document.getElementById("map");
  const bars = length() ? watched() : [];
  map.replaceChildren(...bars.map(([from, to]) => {
    const bar = document.createElementNS("http://www.w3.org/2000/svg", "rect");
    bar.setAttribute("x", String((1000 * from) / length()));
    bar.setAttribute("width", String((1000 * (to - from)) / length()));
    bar.setAttribute("height", "8");
    return bar;
  }));
}

// Returns the start of the first skipped part, or null if everything before the present position was watched.
function gap() {
  const parts = watched();
  const from = parts[0]?.[0] > 1 ? 0 : parts[0]?.[1] ?? 0;
  return from < video.currentTime - 1 ? [from] : null;
}

missing.addEventListener("click", () => {
  const [from] = gap() ?? [];
  if (from === undefined) return;
  video.currentTime = from;
  video.focus();
});

finish.addEventListener("click", () => state.finish());
// A video that was completed before is not left at its end: the learner watches it again.
video.addEventListener("ended", () => { endsNow = !done; });
let counted = seconds();
video.addEventListener("timeupdate", () => {
  const now = seconds();
  if (now - counted > 0.2) {
    counted = now;
    study.note();
  }
  show();
});
for (const each of ["pause", "seeked", "ended"]) {
  video.addEventListener(each, () => {
    study.soon();
    show();
  });
}
// Playing faster than the server counts would not count, so it is prevented.
video.addEventListener("ratechange", () => {
  if (video.playbackRate > fastest) video.playbackRate = fastest;
});
// Time in a hidden page does not count, so playback pauses.
document.addEventListener("visibilitychange", () => {
  if (document.visibilityState === "hidden" && !document.pictureInPictureElement) video.pause();
});
const fail = () => { document.getElementById("broken").hidden = false; };
video.addEventListener("error", fail);
function resume() {
  if (position && position < video.duration - END) video.currentTime = position;
  show();
}
// The video may have loaded before this script.
if (video.error) fail();
if (video.readyState >= HTMLMediaElement.HAVE_METADATA) resume();
else video.addEventListener("loadedmetadata", resume, { once: true });

const toggle = () => (video.paused ? video.play().catch(() => {}) : video.pause());
const seek = (by) => { video.currentTime = Math.min(Math.max(video.currentTime + by, 0), video.duration || 0); };
const captions = () => {
  for (const track of video.textTracks) track.mode = track.mode === "showing" ? "hidden" : "showing";
};
const full = () => (document.fullscreenElement ? document.exitFullscreen() : video.requestFullscreen?.());
const KEYS = {
  k: toggle,
  j: () => seek(-2 * STEP),
  l: () => seek(2 * STEP),
  m: () => { video.muted = !video.muted; },
  c: captions,
  f: full,
  " ": toggle,
  ArrowLeft: () => seek(-STEP),
  ArrowRight: () => seek(STEP),
};
document.addEventListener("keydown", (event) => {
  // The browser's player and buttons handle some of these keys themselves.
  if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey) return;
  const own = event.target === video && [" ", "ArrowLeft", "ArrowRight"].includes(event.key);
  if (own || event.target.closest("button, a, input")) return;
  const act = KEYS[event.key.length === 1 ? event.key.toLowerCase() : event.key];
  if (!act) return;
  event.preventDefault();
  act();
});

if (await isCurrent(connection)) {
  heartbeat.begin();
  show();
  video.focus({ preventScroll: true, focusVisible: false }); // so that its keys work at once
  onExit(connection, state, () => {
    video.pause();
    study.exit();
  });
}
