// On the pages of the sign-in: nobody is signed in, so that nothing personal stays on this device. Files of modules are
// removed only when the person has signed out, because they name nobody and take long to download.
const RECORD = "trilha.offline";

customElements.define("offline-removal", class extends HTMLElement {
  async connectedCallback() {
    if (!("caches" in window)) return;
    for (const name of await caches.keys()) if (name.startsWith("trilha.pages.")) await caches.delete(name);
    const { content, left } = JSON.parse(localStorage.getItem(RECORD)) ?? {};
    if (!content) return;
    const store = document.createElement("content-store");
    try {
      await store.open(content);
      await store.ask({ act: left ? "all" : "pages" });
      if (left) localStorage.removeItem(RECORD);
    } catch {
      // It is tried again on the next page.
    }
    store.close();
  }
});
