// The service worker of a company's media host. It answers from what a page saved (`store.js`) if there is no
// connection. It saves nothing itself, so that a new version can take over at any time.
const SAVED = "trilha.saved.";
const ASSETS = "trilha.assets";
const PAGE = /^\/l\/[A-Za-z0-9_-]{43}\/?$/;
const MEDIA = /^\/l\/[A-Za-z0-9_-]{43}\/media\/([0-9a-f-]{36})$/;

self.addEventListener("install", () => self.skipWaiting());
self.addEventListener("activate", (event) => event.waitUntil(self.clients.claim()));

self.addEventListener("fetch", (event) => {
  const { request } = event;
  const url = new URL(request.url);
  if (request.method !== "GET" || url.origin !== self.location.origin) return;
  if (PAGE.test(url.pathname)) return event.respondWith(page(request, url));
  const media = MEDIA.exec(url.pathname);
  if (media) return event.respondWith(file(request, `/media/${media[1]}`));
  if (/^\/(assets|brand)\//.test(url.pathname)) event.respondWith(asset(request));
});

async function find(key) {
  for (const name of await caches.keys()) {
    if (!name.startsWith(SAVED)) continue;
    const response = await (await caches.open(name)).match(key);
    if (response) return response;
  }
  return null;
}

// `saved` in the address: the outer page was shown from what is saved, so that the launch may be over on the server.
async function page(request, url) {
  const key = url.pathname.replace(/\/$/, "");
  if (url.searchParams.has("saved")) return (await find(key)) ?? fetch(request);
  try {
    return await fetch(request);
  } catch (error) {
    const saved = await find(key);
    if (saved) return saved;
    throw error;
  }
}

async function asset(request) {
  return (await (await caches.open(ASSETS)).match(request)) ?? fetch(request);
}

// Files never change, so that a saved one is as good as the server's. Videos are played in parts.
async function file(request, key) {
  const saved = await find(key);
  if (!saved) return fetch(request);
  const range = /^bytes=(\d*)-(\d*)$/.exec(request.headers.get("range") ?? "");
  if (!range || (!range[1] && !range[2])) return saved;
  const blob = await saved.blob();
  const start = range[1] ? Number(range[1]) : Math.max(blob.size - Number(range[2]), 0);
  const end = range[1] && range[2] ? Math.min(Number(range[2]), blob.size - 1) : blob.size - 1;
  if (start > end) return new Response(null, { status: 416, headers: { "content-range": `bytes */${blob.size}` } });
  const type = saved.headers.get("content-type") ?? "application/octet-stream";
  return new Response(blob.slice(start, end + 1, type), {
    status: 206,
    headers: {
      "content-type": type,
      "content-length": String(end - start + 1),
      "content-range": `bytes ${start}-${end}/${blob.size}`,
      "accept-ranges": "bytes",
    },
  });
}
