// What is saved of modules on this device: for each person a cache with the pages of launches by their path, files by
// their id, and an index. The addresses of files contain the token of a launch, so that they are no keys.
const SAVED = "trilha.saved.";
const ASSETS = "trilha.assets";
const SNAPSHOTS = "trilha.last.";
const INDEX = "/saved.json";
// Of modules that were saved because they were opened. The oldest are removed first; what the learner has downloaded
// stays.
const MAX_OPENED = 20;
const MAX_OPENED_BYTES = 150 * 1024 * 1024;
const MAX_AUTOMATIC_FILE = 30 * 1024 * 1024;
const MAX_ASSETS = 300;
// What must stay free for the reports of the modules.
const RESERVE = 5 * 1024 * 1024;

export const isSupported = "caches" in globalThis && "serviceWorker" in navigator;

export class NoRoom extends Error {
  constructor(needed, available) {
    super("no room");
    Object.assign(this, { needed, available });
  }
}

export async function register(worker) {
  await navigator.serviceWorker.register(worker, { scope: "/" });
  await navigator.serviceWorker.ready;
}

// Two pages of a person may save at a time.
function locked(act) {
  return navigator.locks ? navigator.locks.request("trilha.saved", act) : act();
}

async function readIndex(cache) {
  const response = await cache.match(INDEX);
  return response ? response.json() : {};
}

function writeIndex(cache, index) {
  return cache.put(INDEX, new Response(JSON.stringify(index), { headers: { "content-type": "application/json" } }));
}

// Resolves to the modules that are saved, by id: `{ path, media, bytes, at, kept }`. Without a `path` only the files
// are there.
export async function list(person) {
  return isSupported ? readIndex(await caches.open(SAVED + person)) : {};
}

// Saves the page of a launch at this address with all that it loads. `offline` is as the page describes it, and
// `kept` says that the learner has asked for it. Rejects with NoRoom.
export function save({ person, module, address, offline, kept, progress = () => {} }) {
  return locked(async () => {
    await forgetOthers(person);
    const cache = await caches.open(SAVED + person);
    const index = await readIndex(cache);
    const old = index[module];
    const path = new URL(address).pathname.replace(/\/$/, "");
    const media = await listMissing(cache, offline.media);
    const bytes = offline.media.reduce((sum, each) => sum + each.bytes, 0);
    if (!kept && media.some((each) => each.bytes > MAX_AUTOMATIC_FILE)) return false;
    await checkRoom(media.reduce((sum, each) => sum + each.bytes, 0));
    try {
      await saveAssets(offline.assets);
      let done = 0;
      for (const each of media) {
        await saveFile(cache, `/media/${each.id}`, `${new URL(address).origin}${path}/media/${each.id}`, (part) => progress(done + part, bytes));
        done += each.bytes;
      }
      const response = await fetch(address, { cache: "no-store" });
      if (!response.ok) throw new Error(String(response.status));
      await cache.put(path, response);
    } catch (error) {
      if (error.name === "QuotaExceededError") throw new NoRoom(bytes, 0);
      throw error;
    }
    if (old?.path && old.path !== path) await cache.delete(old.path);
    index[module] = { path, media: offline.media, bytes, at: Date.now(), kept: Boolean(kept || old?.kept) };
    await removeOldest(cache, index, module);
    await removeUnused(cache, index);
    await writeIndex(cache, index);
    return true;
  });
}

export function remove(person, module) {
  return locked(async () => {
    const cache = await caches.open(SAVED + person);
    const { [module]: old, ...index } = await readIndex(cache);
    if (old?.path) await cache.delete(old.path);
    await removeUnused(cache, index);
    await writeIndex(cache, index);
  });
}

// The session has ended: pages name people and their progress, files do not.
export function forgetPages() {
  return locked(async () => {
    forgetSnapshots();
    for (const name of await caches.keys()) {
      if (!name.startsWith(SAVED)) continue;
      const cache = await caches.open(name);
      const index = await readIndex(cache);
      for (const [module, each] of Object.entries(index)) {
        if (each.path) await cache.delete(each.path);
        if (each.kept) delete each.path;
        else delete index[module];
      }
      await removeUnused(cache, index);
      await writeIndex(cache, index);
    }
  });
}

// Removes what is saved of everybody else; without a person, of everybody.
export async function forgetOthers(person = null) {
  for (const name of await caches.keys()) {
    if (!name.startsWith(SAVED) || name === SAVED + person) continue;
    await caches.delete(name);
    forgetSnapshots();
  }
  if (!person) forgetSnapshots();
}

function forgetSnapshots() {
  try {
    for (const key of Object.keys(localStorage)) if (key.startsWith(SNAPSHOTS)) localStorage.removeItem(key);
  } catch {
    // This frame has no storage.
  }
}

async function checkRoom(needed) {
  const { quota, usage } = (await navigator.storage?.estimate?.()) ?? {};
  if (!quota) return;
  const available = Math.max(quota - usage - RESERVE, 0);
  if (needed > available) throw new NoRoom(needed, available);
}

async function listMissing(cache, media) {
  const isThere = await Promise.all(media.map((each) => cache.match(`/media/${each.id}`)));
  return media.filter((_, n) => !isThere[n]);
}

async function saveAssets(addresses) {
  const cache = await caches.open(ASSETS);
  for (const address of addresses) if (!(await cache.match(address))) await cache.add(address);
  const keys = await cache.keys();
  for (const old of keys.slice(0, Math.max(keys.length - MAX_ASSETS, 0))) await cache.delete(old);
}

async function saveFile(cache, key, address, progress) {
  const response = await fetch(address);
  if (!response.ok) throw new Error(String(response.status));
  let done = 0;
  const counted = new TransformStream({
    transform(chunk, controller) {
      done += chunk.byteLength;
      progress(done);
      controller.enqueue(chunk);
    },
  });
  const headers = { "content-type": response.headers.get("content-type"), "accept-ranges": "bytes" };
  await cache.put(key, new Response(response.body.pipeThrough(counted), { headers }));
}

async function removeOldest(cache, index, module) {
  const opened = Object.entries(index).filter(([id, each]) => !each.kept && id !== module)
    .sort(([, one], [, other]) => other.at - one.at);
  let bytes = index[module].kept ? 0 : index[module].bytes;
  for (const [n, [id, each]] of opened.entries()) {
    bytes += each.bytes;
    if (n < MAX_OPENED - 1 && bytes <= MAX_OPENED_BYTES) continue;
    if (each.path) await cache.delete(each.path);
    delete index[id];
  }
}

async function removeUnused(cache, index) {
  const used = new Set(Object.values(index).flatMap((each) => each.media.map(({ id }) => `/media/${id}`)));
  for (const request of await cache.keys()) {
    const { pathname } = new URL(request.url);
    if (pathname.startsWith("/media/") && !used.has(pathname)) await cache.delete(request);
  }
}
