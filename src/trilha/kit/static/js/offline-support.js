// On learners' pages: registers the service worker, says if a page is shown from what is saved, sends work that was
// done offline, and removes what is saved when the person leaves. Browsers without service workers need none of it.
const RECORD = "trilha.offline";
const UNSENT = "trilha.unsent.";
const isSupported = "serviceWorker" in navigator && "caches" in window;
const savedAt = Number(document.documentElement.dataset.savedAt);

customElements.define("offline-support", class extends HTMLElement {
  async connectedCallback() {
    if (savedAt) this.#showSaved();
    if (savedAt || !isSupported || !this.dataset.worker) return;
    const { person, content, worker } = this.dataset;
    await this.#forgetOthers(person, content);
    localStorage.setItem(RECORD, JSON.stringify({ person, content }));
    const registration = await navigator.serviceWorker.register(worker, { scope: "/learn", updateViaCache: "none" }).catch(() => null);
    if (!registration) return;
    const isFirst = !navigator.serviceWorker.controller;
    await navigator.serviceWorker.ready;
    // The worker has not seen this page, because it was loaded before.
    if (isFirst) registration.active?.postMessage({ trilha: "save", urls: [location.pathname + location.search] });
    await this.#sendHeld();
  }

  // "Offline: showing what was saved at 14:32", with the day if it is another one.
  #showSaved() {
    const strip = this.querySelector("template[data-saved]").content.firstElementChild.cloneNode(true);
    const { locale, timeZone } = this.dataset;
    const options = { timeZone, hour: "2-digit", minute: "2-digit" };
    const dayOf = (at) => new Date(at).toLocaleDateString(locale, { timeZone });
    const isToday = dayOf(savedAt) === dayOf(Date.now());
    if (!isToday) Object.assign(options, { day: "2-digit", month: "2-digit", year: "numeric" });
    strip.querySelector(isToday ? "[data-earlier]" : "[data-today]").remove();
    strip.querySelector("[data-time]").textContent = new Date(savedAt).toLocaleString(locale, options);
    document.querySelector(".skip").after(strip);
    for (const form of document.querySelectorAll("form")) {
      form.addEventListener("submit", (event) => {
        event.preventDefault();
        const alert = document.getElementById("offline");
        document.getElementById("flash")?.replaceChildren(alert.content.cloneNode(true));
      });
    }
    this.#reloadOnline();
  }

  // Browsers say that they are online before a request succeeds, and a server may be down while they are.
  #reloadOnline() {
    const look = async () => {
      if (!navigator.onLine || document.visibilityState !== "visible") return;
      const answer = await fetch(this.dataset.worker, { cache: "no-store", redirect: "manual" }).catch(() => null);
      if (answer && answer.status < 500) location.reload();
    };
    window.addEventListener("online", look);
    setInterval(look, 5000);
  }

  async #forgetOthers(person, content) {
    const record = read();
    if (!record || record.person === person) return;
    const store = document.createElement("content-store");
    try {
      await store.open(record.content);
      await store.ask({ act: "others", person: record.content === content ? person : null });
    } catch {
      // It is removed when a module is saved.
    }
    store.close();
  }

  async #sendHeld() {
    const keys = Object.keys(localStorage).filter((key) => key.startsWith(UNSENT));
    const held = this.querySelector("held-work");
    if (!keys.length || !held || !navigator.onLine) return;
    await customElements.whenDefined("held-work");
    held.setAttribute("role", "alert");
    document.getElementById("flash")?.before(held);
    const taken = await held.flush();
    for (const key of keys) localStorage.removeItem(key);
    held.remove();
    if (taken) location.reload();
  }
});

// People also sign out on pages that are not those of learners.
document.addEventListener("submit", (event) => {
  if (event.defaultPrevented || new URL(event.target.action, location.href).pathname !== "/logout") return;
  for (const key of Object.keys(localStorage)) if (key.startsWith("trilha.marks.")) localStorage.removeItem(key);
  const record = read();
  if (record) localStorage.setItem(RECORD, JSON.stringify({ ...record, left: true }));
  navigator.serviceWorker?.controller?.postMessage({ trilha: "clear" });
});

function read() {
  try {
    return JSON.parse(localStorage.getItem(RECORD));
  } catch {
    return null;
  }
}
