// Saves learners' pages as they were last shown, for one person at a time, and shows them without a connection. The
// caches' names and keys do not depend on this file's version, so that a new one can take over at any time.
const PAGES = "trilha.pages.";
const ASSETS = "trilha.assets";
const ID = "[0-9a-f-]{36}";
const SAVED_PATHS = new RegExp(`^/learn(?:/offline|/enrollments/${ID}(?:/modules/${ID})?)?$`);
const MODULE = new RegExp(`^/learn/enrollments/${ID}/modules/${ID}$`);
const LAUNCHES = new RegExp(`^/learn/enrollments/${ID}/modules/${ID}/launches$`);
const LOADED = /(?:href|src)="(\/(?:assets|brand|logos|thumbnails|app-icons)\/[^"]+)"/g;
const FALLBACK = "/learn/offline";
const MAX_PAGES = 200;
const MAX_ASSETS = 300;
const MAX_AGE = 30 * 24 * 3600 * 1000;
const FALLBACK_AGE = 24 * 3600 * 1000;
// With a poor connection, what is saved is shown after this time.
const PATIENCE = 12_000;

self.addEventListener("install", () => self.skipWaiting());
self.addEventListener("activate", (event) => event.waitUntil(self.clients.claim()));

self.addEventListener("fetch", (event) => {
  const { request } = event;
  const url = new URL(request.url);
  if (url.origin !== self.location.origin) return;
  if (request.method === "POST" && LAUNCHES.test(url.pathname)) return event.respondWith(launch(event, url));
  if (request.method !== "GET") return;
  if (request.mode === "navigate") return event.respondWith(page(event, url));
  if (/^\/(assets|brand|logos|thumbnails)\//.test(url.pathname)) event.respondWith(asset(request));
});

self.addEventListener("message", (event) => {
  const { trilha, urls = [] } = event.data ?? {};
  const act = { save: () => saveAll(urls), forget: () => forget(urls), clear }[trilha];
  if (!act) return;
  event.waitUntil(act().then((result) => event.ports[0]?.postMessage({ result }), () => event.ports[0]?.postMessage({ failed: true })));
});

const keyOf = (url) => url.pathname.replace(/\/$/, "") + (url.pathname.startsWith("/learn/") ? "" : url.search);

// The cache of the person who used this browser last. There is at most one.
async function current() {
  const name = (await caches.keys()).find((each) => each.startsWith(PAGES));
  return name ? caches.open(name) : null;
}

async function clear(except = "") {
  for (const name of await caches.keys()) if (name.startsWith(PAGES) && name !== PAGES + except) await caches.delete(name);
}

async function page(event, url) {
  const patience = new Promise((done) => setTimeout(done, PATIENCE)).then(() => saved(url, false));
  let response;
  try {
    const loaded = fetch(event.request);
    response = await Promise.race([loaded, patience.then((found) => found ?? loaded)]);
  } catch {
    return (await saved(url, true)) ?? Response.error();
  }
  if (response.headers.has("x-trilha-saved")) return response;
  if (response.status === 401) event.waitUntil(clear());
  else event.waitUntil(keep(url, response.clone()));
  return response;
}

// Saves a page under the person whom it was made for, who may be another one than before.
async function keep(url, response) {
  const person = response.headers.get("x-trilha-person");
  if (!person || response.status !== 200) return false;
  await clear(person);
  if (!SAVED_PATHS.test(url.pathname.replace(/\/$/, ""))) return false;
  const cache = await caches.open(PAGES + person);
  const html = await response.text();
  await saveAssets([...html.matchAll(LOADED)].map((match) => match[1]));
  const headers = new Headers(response.headers);
  headers.set("x-trilha-saved", String(Date.now()));
  headers.delete("content-encoding");
  headers.delete("content-length");
  await cache.put(keyOf(url), new Response(html, { headers }));
  await trim(cache, MAX_PAGES);
  const fallback = await cache.match(FALLBACK);
  if (keyOf(url) !== FALLBACK && (!fallback || ageOf(fallback) > FALLBACK_AGE)) await load(FALLBACK).catch(() => {});
  return true;
}

const ageOf = (response) => Date.now() - Number(response.headers.get("x-trilha-saved"));

async function load(address) {
  const url = new URL(address, self.location.origin);
  return keep(url, await fetch(url.href, { redirect: "manual", credentials: "same-origin" }));
}

async function saveAll(urls) {
  let all = true;
  for (const each of urls) all = (await load(each)) && all;
  return all;
}

async function forget(urls) {
  const cache = await current();
  for (const each of urls) await cache?.delete(each);
  return true;
}

async function saveAssets(addresses) {
  const cache = await caches.open(ASSETS);
  for (const each of new Set(addresses)) if (!(await cache.match(each))) await cache.add(each).catch(() => {});
  await trim(cache, MAX_ASSETS);
}

// `keys` is in the order in which the entries were written.
async function trim(cache, most) {
  const keys = await cache.keys();
  for (const old of keys.slice(0, Math.max(keys.length - most, 0))) await cache.delete(old);
}

// Returns the page as it was saved. Its script says since when. Instead of a page that is not there, `always` gives
// the one that says what works offline.
async function saved(url, always) {
  const cache = await current();
  const key = keyOf(url);
  let response = await cache?.match(key);
  if (response && ageOf(response) > MAX_AGE) {
    await cache.delete(key);
    response = null;
  }
  // A module that needs a connection was shown, but not saved.
  if (response && MODULE.test(key) && !(await cache.match(`${key}/launches`))) response = null;
  if (!response && always) response = await cache?.match(FALLBACK);
  if (!response) return null;
  const html = (await response.text()).replace("<html", `<html data-saved-at="${response.headers.get("x-trilha-saved")}"`);
  return new Response(html, { headers: response.headers });
}

async function asset(request) {
  const cache = await caches.open(ASSETS);
  return (await cache.match(request)) ?? fetch(request);
}

// A page that is shown from what is saved continues with the launch of the module that was made last.
async function launch(event, url) {
  if (event.request.headers.has("x-trilha-saved")) {
    const response = await (await current())?.match(url.pathname);
    return response ?? new Response("{}", { status: 503, headers: { "content-type": "application/json" } });
  }
  const response = await fetch(event.request);
  if (response.ok) event.waitUntil(keepLaunch(url, response.clone()));
  return response;
}

async function keepLaunch(url, response) {
  const cache = await current();
  const made = await response.clone().json();
  if (made.offline) await cache?.put(url.pathname, response);
  else await cache?.delete(url.pathname);
}
