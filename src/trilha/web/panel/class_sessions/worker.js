// Keeps the pages of attendance on the device, for one person at a time, and shows them without a connection. Caches
// have the names that learners' pages use, so that signing out removes both.
const PAGES = "trilha.pages.";
const ASSETS = "trilha.assets";
const KEPT = /^\/admin\/sessions\/[0-9a-f-]{36}\/attendance$/;
const LOADED = /(?:href|src)="(\/(?:assets|brand|logos)\/[^"]+)"/g;
const MAX_AGE = 7 * 24 * 3600 * 1000;
const PATIENCE = 12_000;
const isOff = typeof OFF !== "undefined";

self.addEventListener("install", () => self.skipWaiting());
self.addEventListener("activate", (event) => event.waitUntil(isOff ? self.registration.unregister() : self.clients.claim()));

self.addEventListener("fetch", (event) => {
  const url = new URL(event.request.url);
  if (isOff || url.origin !== self.location.origin || event.request.method !== "GET") return;
  if (event.request.mode === "navigate") return event.respondWith(page(event, url));
  if (/^\/(assets|brand|logos)\//.test(url.pathname)) event.respondWith(asset(event.request));
});

self.addEventListener("message", (event) => {
  const { trilha, urls = [] } = event.data ?? {};
  const act = { save: () => Promise.all(urls.map(load)), clear }[trilha];
  if (act && !isOff) event.waitUntil(act().then((result) => event.ports[0]?.postMessage({ result }), () => event.ports[0]?.postMessage({ failed: true })));
});

async function clear(except = "") {
  for (const name of await caches.keys()) if (name.startsWith(PAGES) && name !== PAGES + except) await caches.delete(name);
}

async function page(event, url) {
  const patience = new Promise((done) => setTimeout(done, PATIENCE)).then(() => saved(url));
  let response;
  try {
    const loaded = fetch(event.request);
    response = await Promise.race([loaded, patience.then((found) => found ?? loaded)]);
  } catch {
    return (await saved(url)) ?? Response.error();
  }
  if (!response.headers.has("x-trilha-saved")) event.waitUntil(keep(url, response.clone()));
  return response;
}

async function load(address) {
  const url = new URL(address, self.location.origin);
  return keep(url, await fetch(url.href, { redirect: "manual", credentials: "same-origin" }));
}

async function keep(url, response) {
  const person = response.headers.get("x-trilha-person");
  if (!person || response.status !== 200 || !KEPT.test(url.pathname)) return false;
  await clear(person);
  const html = await response.text();
  const assets = await caches.open(ASSETS);
  for (const [, each] of html.matchAll(LOADED)) if (!(await assets.match(each))) await assets.add(each).catch(() => {});
  const headers = new Headers(response.headers);
  headers.set("x-trilha-saved", String(Date.now()));
  headers.delete("content-encoding");
  headers.delete("content-length");
  await (await caches.open(PAGES + person)).put(url.pathname + url.search, new Response(html, { headers }));
  return true;
}

async function saved(url) {
  const name = (await caches.keys()).find((each) => each.startsWith(PAGES));
  const response = name && (await (await caches.open(name)).match(url.pathname + url.search));
  const at = Number(response?.headers.get("x-trilha-saved"));
  if (!response || Date.now() - at > MAX_AGE) return null;
  const html = (await response.text()).replace("<html", `<html data-saved-at="${at}"`);
  return new Response(html, { headers: response.headers });
}

async function asset(request) {
  return (await (await caches.open(ASSETS)).match(request)) ?? fetch(request);
}
