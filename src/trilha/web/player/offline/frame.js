// Saves and removes modules for the application, which cannot reach this origin's caches itself.
import * as store from "./store.js";

const application = window.parent;

async function readPage(address) {
  const response = await fetch(address, { cache: "no-store" });
  if (!response.ok) throw new Error(String(response.status));
  const page = new DOMParser().parseFromString(await response.text(), "text/html");
  return JSON.parse(page.getElementById("launch").textContent);
}

const ACTS = {
  list: ({ person }) => store.list(person),
  async save({ person, address }, progress) {
    if (new URL(address).origin !== location.origin) throw new Error("elsewhere");
    const launch = await readPage(address);
    if (launch.user !== person || !launch.offline) return false;
    await store.register(launch.offline.worker);
    return store.save({ person, module: launch.module.id, address, offline: launch.offline, kept: true, progress });
  },
  remove: ({ person, module }) => store.remove(person, module),
  others: ({ person }) => store.forgetOthers(person),
  pages: () => store.forgetPages(),
  all: () => store.forgetOthers(),
};

window.addEventListener("message", async (event) => {
  const { trilha, act, number } = event.data ?? {};
  if (event.source !== application || trilha !== "offline" || !Object.hasOwn(ACTS, act)) return;
  const say = (more) => application.postMessage({ trilha: "offline", number, ...more }, event.origin);
  try {
    if (!store.isSupported) throw new Error("unsupported");
    const progress = (done, total) => say({ progress: { done, total } });
    say({ result: (await ACTS[act](event.data, progress)) ?? null, done: true });
  } catch (error) {
    const room = error instanceof store.NoRoom ? { needed: error.needed, available: error.available } : null;
    say({ problem: room ? "no_room" : error.message === "unsupported" ? "unsupported" : "failed", room, done: true });
  }
});
application.postMessage({ trilha: "offline", ready: true }, "*");
