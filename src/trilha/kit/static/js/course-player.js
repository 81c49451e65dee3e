// The bar around the frame in which a module runs: what it says, full screen, and how it is left. Nothing is opened
// before the server has answered for all that this browser holds.
const savedAt = document.documentElement.dataset.savedAt;
const PAUSES = [1000, 2000, 4000, 8000, 15_000, 30_000];

customElements.define("course-player", class extends HTMLElement {
  #state = { saved: "saved", told: "", leftOut: 0 };

  connectedCallback() {
    this.frame = this.querySelector("#content");
    this.saved = this.querySelector("#saved");
    this.told = this.querySelector(".player__told");
    window.addEventListener("message", (event) => this.#hear(event));
    window.addEventListener("beforeunload", (event) => {
      if (this.#state.saved !== "saved" && !this.leaving) event.preventDefault();
    });
    for (const link of this.querySelectorAll("[data-exit], [data-go]")) {
      link.addEventListener("click", (event) => {
        event.preventDefault();
        this.leave(link.getAttribute("href"));
      });
    }
    this.told.addEventListener("click", (event) => {
      // Whoever opens the module again knows that something is not saved: it is sent before the module opens.
      if (event.target.closest("[data-open-again]")) this.leaving = true;
    });
    this.#fullScreen();
    if (this.dataset.launches) this.#open();
  }

  async #open() {
    // A browser may load the page before anybody has asked for it.
    if (document.prerendering) await new Promise((done) => document.addEventListener("prerenderingchange", done, { once: true }));
    await customElements.whenDefined("held-work");
    // Without a connection, the page continues with the launch that was saved: nothing new begins.
    if (!savedAt) {
      await this.querySelector("held-work").flush();
      for (const key of Object.keys(localStorage)) if (key.startsWith("trilha.unsent.")) localStorage.removeItem(key);
    }
    const launch = savedAt ? await this.#savedLaunch() : await this.#launch();
    if (!launch) return;
    if (!(await this.#lock(launch.attempt))) return this.#tell("other_tab");
    if (!this.dataset.frames.split(" ").includes(launch.origin)) return location.reload();
    Object.assign(this.dataset, { content: launch.origin, attempt: launch.attempt });
    this.toggleAttribute("data-review", launch.review);
    this.saved.dataset.state = "saved";
    const template = this.querySelector("#frame");
    this.frame = template.content.firstElementChild.cloneNode(true);
    this.frame.src = savedAt ? `${launch.address}&saved=1` : launch.address;
    template.replaceWith(this.frame);
  }

  async #launch() {
    for (let failures = 0; ; failures += 1) {
      try {
        const answer = await fetch(this.dataset.launches, { method: "POST", redirect: "manual", signal: AbortSignal.timeout(30_000) });
        if (answer.ok) {
          this.#tell("");
          return await answer.json();
        }
        // The page says why it does not open, or leads to the sign-in.
        if (answer.type === "opaqueredirect" || (answer.status < 500 && answer.status !== 429)) {
          location.reload();
          return new Promise(() => {});
        }
      } catch {
        // It is tried again.
      }
      this.#tell("unopened");
      await new Promise((done) => setTimeout(done, PAUSES[Math.min(failures, PAUSES.length - 1)]));
    }
  }

  async #savedLaunch() {
    const answer = await fetch(this.dataset.launches, { method: "POST", headers: { "X-Trilha-Saved": "1" } }).catch(() => null);
    if (answer?.ok) return answer.json();
    this.#tell("unsaved_module");
    return null;
  }

  // Two tabs with one launch would overwrite each other's stored reports. Online, each has a launch of its own.
  #lock(attempt) {
    if (!navigator.locks) return Promise.resolve(true);
    return new Promise((done) => {
      navigator.locks.request(`trilha.playing.${attempt}`, savedAt ? { ifAvailable: true } : { mode: "shared" }, (lock) => {
        done(Boolean(lock));
        return lock && new Promise(() => {});
      });
    });
  }

  // Learners' other pages send what this one could not, if its module also opens without a connection.
  #noteUnsent(saved) {
    if (document.querySelector("offline-support")?.dataset.content !== this.dataset.content) return;
    const key = `trilha.unsent.${this.dataset.attempt}`;
    try {
      if (["unsaved", "lost"].includes(saved)) localStorage.setItem(key, "1");
      else if (saved === "saved") localStorage.removeItem(key);
    } catch {
      // No storage: the module sends it when it is opened again.
    }
  }

  // Content ends before its frame goes. With `replaces`, the browser's Back button does not open the module again.
  async leave(to, replaces = false) {
    if (this.leaving) return;
    this.leaving = true;
    const go = () => (replaces ? location.replace(to) : location.assign(to));
    if (!this.dataset.content) return go();
    this.setAttribute("aria-busy", "true");
    const exited = new Promise((done) => { this.exited = done; });
    this.#post({ trilha: "exit" });
    await Promise.race([exited, new Promise((done) => setTimeout(done, 8000))]);
    this.removeAttribute("aria-busy");
    if (this.#state.saved === "saved") return go();
    this.leaving = false;
    this.#tell("leaving");
  }

  #hear(event) {
    if (event.origin !== this.dataset.content || event.source !== this.frame?.contentWindow) return;
    if (event.data?.trilha === "kept?") return this.#post({ trilha: "kept", kept: this.#kept() });
    if (event.data?.trilha === "keep") return this.#keep(event.data.key, event.data.text);
    if (event.data?.trilha !== "state") return;
    const { saved, told, exited, leave, to, finish, reopen, leftOut } = event.data;
    if (["saved", "saving", "unsaved", "lost"].includes(saved)) {
      this.#state.saved = this.saved.dataset.state = saved;
      if (this.dataset.attempt) this.#noteUnsent(saved);
    }
    if (told !== this.#state.told || leftOut !== this.#state.leftOut) {
      Object.assign(this.#state, { told, leftOut });
      this.#tell(told || (leftOut ? "left_out" : ""));
    }
    if (exited) this.exited?.();
    if (reopen) location.reload();
    // Content has ended: on to another module of its course, or to the page that says how this one ended.
    const isModule = /^[0-9a-f-]{36}$/.test(to);
    if (leave) this.leave(isModule ? `${this.dataset.course}/modules/${to}` : this.dataset.course);
    if (finish) this.leave(this.dataset.done, true);
  }

  #post(message) {
    this.frame.contentWindow.postMessage(message, this.dataset.content);
  }

  // For a frame that has no storage of its own: what is not sent yet of this attempt, and no more than that. By the
  // frame's origin, as its own storage would be (see held-work.js).
  #kept() {
    const origin = `trilha.kept ${this.dataset.content} `;
    return Object.keys(localStorage).filter((key) => key.startsWith(`${origin}trilha.queue.${this.dataset.attempt}.`))
      .map((key) => [key.slice(origin.length), localStorage.getItem(key)]);
  }

  #keep(key, text) {
    if (typeof key !== "string" || !key.startsWith(`trilha.queue.${this.dataset.attempt}.`) || key.length > 120) return;
    const here = `trilha.kept ${this.dataset.content} ${key}`;
    if (text === null) return localStorage.removeItem(here);
    if (typeof text !== "string" || text.length > 2_100_000 || this.#kept().length > 5) return;
    try {
      localStorage.setItem(here, text);
    } catch {
      // No room.
    }
  }

  #tell(what) {
    const template = [...this.querySelectorAll(":scope > template[data-told]")].find((each) => each.dataset.told === what);
    this.told.replaceChildren(...(template ? [template.content.cloneNode(true)] : []));
    const count = this.told.querySelector("[data-count]");
    if (count) count.textContent = String(this.#state.leftOut);
  }

  #fullScreen() {
    const button = this.querySelector("[data-full]");
    if (!button || !document.fullscreenEnabled) return;
    button.hidden = false;
    button.addEventListener("click", () => {
      if (document.fullscreenElement) document.exitFullscreen();
      else this.requestFullscreen();
    });
    document.addEventListener("fullscreenchange", () => {
      button.setAttribute("aria-pressed", String(Boolean(document.fullscreenElement)));
    });
  }
});
