// A PDF, one page at a time. Reports how long each page was visible; after a few seconds a page counts as read.
import { getDocument, GlobalWorkerOptions, TextLayer } from "../npm/pdf.js";
import { isCurrent, word } from "../scripts/recovery.js";
import { onExit } from "../scripts/exit.js";
import { launch, start } from "../scripts/launch.js";
import { recall } from "../scripts/snapshot.js";
import { Study } from "../scripts/study.js";

const TICK = 250;
const MIN_SCALE = 0.25;
const MAX_SCALE = 6;
const STEP = 1.25;
const MAX_WIDTH = 960; // pixels, unless it is made larger
// The most pixels of a canvas that phones can draw.
const MAX_PIXELS = 16_000_000;
const { connection, heartbeat, state } = start();
const at = (id) => document.getElementById(id);
const options = launch.document;
const shown = new Map(Object.entries(options.pages).map(([number, seconds]) => [Number(number), seconds]));
const assets = at("document").dataset.assets;
let pdf = null;
const last = recall("dwelled");
for (const [number, seconds] of Object.entries(last?.pages ?? {})) {
  shown.set(Number(number), Math.max(shown.get(Number(number)) ?? 0, seconds));
}
let page = Math.max(1, last?.position ?? options.position);
let count = options.count;
let scale = 0; // 0: as wide as the view, up to MAX_WIDTH
let drawn = 0; // the page that is visible now
let drawing = null;
let progress = options.progress;
let done = options.completed;

function body() {
  return { pages: Object.fromEntries(shown), position: page, count: pdf?.numPages ?? 0 };
}

const study = new Study("dwelled", connection, state, body, (now) => {
  progress = Math.max(progress, now);
  if (progress >= 100) done = true;
  tell();
});

function tell() {
  const read = Math.round((progress * count) / 100);
  at("told").textContent = done ? word("done") : word("read", { read: Math.min(read, count), count });
}

function bar() {
  at("count").textContent = word("of", { count });
  if (document.activeElement !== at("page")) at("page").value = String(page);
  at("previous").disabled = page <= 1;
  at("next").disabled = page >= count;
  // From the last page the learner goes on to the end of the module.
  at("finish").hidden = !pdf || page < count;
}

async function draw() {
  const number = page;
  drawing?.cancel();
  drawing = null;
  const sheet = await pdf.getPage(number);
  if (number !== page) return;
  const plain = sheet.getViewport({ scale: 1 });
  const view = at("view");
  const wide = Math.min(Math.max(view.clientWidth - 32, 200), MAX_WIDTH) / plain.width;
  const size = scale || Math.min(wide, MAX_SCALE);
  const viewport = sheet.getViewport({ scale: size });
  const sharp = Math.min(window.devicePixelRatio || 1, Math.sqrt(MAX_PIXELS / (viewport.width * viewport.height)));
  const canvas = at("canvas");
  canvas.width = Math.floor(viewport.width * sharp);
  canvas.height = Math.floor(viewport.height * sharp);
  at("sheet").style.width = `${Math.floor(viewport.width)}px`;
  at("sheet").style.height = `${Math.floor(viewport.height)}px`;
  at("sheet").style.setProperty("--total-scale-factor", String(size));
  at("sheet").style.setProperty("--scale-factor", String(size));
  at("scale").textContent = `${Math.round(size * 100)}%`;
  at("sheet").hidden = false;
  at("wait").hidden = true;
  const task = (drawing = sheet.render({ canvas, viewport, transform: sharp === 1 ? null : [sharp, 0, 0, sharp, 0, 0] }));
  try {
    await task.promise;
  } catch (error) {
    if (error.name === "RenderingCancelledException") return;
    throw error;
  }
  if (number !== page) return;
  drawn = number;
  at("text").replaceChildren();
  await new TextLayer({ textContentSource: sheet.streamTextContent(), container: at("text"), viewport }).render();
}

async function go(to, { top = true } = {}) {
  const target = Math.min(Math.max(to, 1), count);
  if (target === page && drawn === page) return bar();
  page = target;
  drawn = 0;
  bar();
  study.soon();
  await draw();
  if (top) at("view").scrollTo(0, 0);
}

function zoom(by) {
  const now = Number(at("sheet").style.getPropertyValue("--scale-factor")) || 1;
  scale = by ? Math.min(Math.max(now * by, MIN_SCALE), MAX_SCALE) : 0;
  draw();
}

setInterval(() => {
  if (!drawn || drawn !== page || document.visibilityState === "hidden") return;
  const seconds = shown.get(page) ?? 0;
  if (seconds >= options.seconds) return;
  shown.set(page, seconds + TICK / 1000);
  study.note();
  if (shown.get(page) >= options.seconds) study.tell();
}, TICK);

at("finish").addEventListener("click", () => state.finish());
at("previous").addEventListener("click", () => go(page - 1));
at("next").addEventListener("click", () => go(page + 1));
at("smaller").addEventListener("click", () => zoom(1 / STEP));
at("larger").addEventListener("click", () => zoom(STEP));
at("fit").addEventListener("click", () => zoom(0));
at("page").addEventListener("change", () => {
  const target = Number.parseInt(at("page").value, 10);
  at("page").value = String(page);
  if (target) go(target);
});
at("page").addEventListener("focus", () => at("page").select());
const KEYS = {
  ArrowLeft: () => go(page - 1),
  ArrowRight: () => go(page + 1),
  PageUp: () => go(page - 1),
  PageDown: () => go(page + 1),
  Home: () => go(1),
  End: () => go(count),
  "+": () => zoom(STEP),
  "=": () => zoom(STEP),
  "-": () => zoom(1 / STEP),
  0: () => zoom(0),
};
document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || event.target === at("page")) return;
  // Arrows scroll a page that is wider than the view.
  if (event.key.startsWith("Arrow") && scale && at("sheet").clientWidth > at("view").clientWidth) return;
  const act = KEYS[event.key];
  if (!act) return;
  event.preventDefault();
  act();
});
let resizing = null;
window.addEventListener("resize", () => {
  clearTimeout(resizing);
  resizing = setTimeout(() => !scale && pdf && draw(), 150);
});

async function open() {
  GlobalWorkerOptions.workerSrc = `${assets}pdf.worker.js`;
  pdf = await getDocument({
    url: new URL(options.source, location.href.replace(/\/?(\?.*)?$/, "/")).href,
    cMapUrl: `${assets}pdf/cmaps/`,
    standardFontDataUrl: `${assets}pdf/fonts/`,
    wasmUrl: `${assets}pdf/wasm/`,
    iccUrl: `${assets}pdf/iccs/`,
    enableXfa: false,
  }).promise;
  count = pdf.numPages;
  page = Math.min(page, count);
  bar();
  tell();
  await draw();
  at("view").focus({ preventScroll: true, focusVisible: false }); // so that its keys work at once
}

if (await isCurrent(connection)) {
  heartbeat.begin();
  onExit(connection, state, () => study.exit());
  try {
    await open();
  } catch {
    at("wait").hidden = true;
    at("broken").hidden = false;
  }
}
