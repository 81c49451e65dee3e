// The modules of a course that work offline: which are saved here, with buttons to download and remove them.
customElements.define("offline-modules", class extends HTMLElement {
  #busy = false;

  async connectedCallback() {
    this.rows = [...this.querySelectorAll("[data-module]")].map((element) => ({ element, ...element.dataset }));
    this.status = this.querySelector("[data-status]");
    if (!("serviceWorker" in navigator && "caches" in window)) return this.#say("unsupported");
    this.store = document.createElement("content-store");
    try {
      await this.store.open(this.dataset.content);
      await this.#show();
    } catch (error) {
      return this.#say(error.message === "unsupported" ? "unsupported" : "failed");
    }
    for (const row of this.rows) {
      row.element.querySelector("[data-save]").addEventListener("click", () => this.#run(() => this.#save(row)));
      row.element.querySelector("[data-remove]").addEventListener("click", () => this.#run(() => this.#remove(row)));
    }
    const all = this.querySelector("[data-all]");
    all?.addEventListener("click", () => this.#run(async () => {
      for (const row of this.rows) if (row.element.dataset.state !== "saved") await this.#save(row);
    }));
    this.dataset.ready = "";
  }

  async #show() {
    const saved = await this.store.ask({ act: "list", person: this.dataset.person });
    for (const { element, module } of this.rows) {
      const entry = saved[module];
      element.dataset.state = entry?.path ? "saved" : entry ? "files" : "none";
      element.querySelector("[data-save]").hidden = Boolean(entry?.path && entry.kept);
      element.querySelector("[data-remove]").hidden = !entry;
      for (const each of element.querySelectorAll("[data-for]")) each.hidden = each.dataset.for !== element.dataset.state;
    }
    const all = this.querySelector("[data-all]");
    if (all) all.disabled = this.rows.every(({ element }) => element.querySelector("[data-save]").hidden);
  }

  // One at a time. The buttons wait, because each would disturb the other.
  async #run(act) {
    if (this.#busy) return;
    this.#busy = true;
    this.setAttribute("aria-busy", "true");
    this.#say("");
    try {
      await act();
    } catch (error) {
      this.#say(error.message === "no_room" ? "no_room" : navigator.onLine ? "failed" : "offline", error.room);
    }
    for (const { element } of this.rows) element.querySelector("progress").hidden = true;
    await this.#show().catch(() => {});
    this.removeAttribute("aria-busy");
    this.#busy = false;
  }

  async #save(row) {
    const bar = row.element.querySelector("progress");
    bar.hidden = false;
    bar.removeAttribute("value");
    const answer = await fetch(row.launches, { method: "POST", redirect: "manual" });
    // The module's own page says what to do first, such as confirming one's identity.
    if (answer.status === 422) return location.assign(row.page);
    if (!answer.ok) throw new Error("failed");
    const launch = await answer.json();
    const saved = await this.store.ask({ act: "save", person: this.dataset.person, address: launch.address }, ({ done, total }) => {
      if (total) bar.value = (100 * done) / total;
    });
    if (!saved || !(await this.#tellWorker("save", [row.page, this.dataset.course, "/learn"]))) throw new Error("failed");
    await this.#show();
    this.#announce(row, "saved");
  }

  async #remove(row) {
    await this.store.ask({ act: "remove", person: this.dataset.person, module: row.module });
    await this.#tellWorker("forget", [row.launches]);
    await this.#show();
    this.#announce(row, "removed");
  }

  async #tellWorker(trilha, urls) {
    const { active } = await navigator.serviceWorker.ready;
    const { port1, port2 } = new MessageChannel();
    const answered = new Promise((done) => { port1.onmessage = (event) => done(Boolean(event.data.result)); });
    active.postMessage({ trilha, urls }, [port2]);
    return answered;
  }

  #announce(row, what) {
    this.status.textContent = this.#words(what).textContent.trim().replace("{module}", row.name);
  }

  #words(what) {
    return this.querySelector(`template[data-told="${what}"]`).content.cloneNode(true);
  }

  #say(what, room = null) {
    const told = this.querySelector("[data-problem]");
    told.replaceChildren(...(what ? [this.#words(what)] : []));
    const size = (bytes) => (bytes / 1e6).toLocaleString(document.documentElement.lang, { maximumFractionDigits: 1 });
    for (const each of told.querySelectorAll("[data-needed]")) each.textContent = size(room?.needed ?? 0);
    for (const each of told.querySelectorAll("[data-available]")) each.textContent = size(room?.available ?? 0);
  }
});
