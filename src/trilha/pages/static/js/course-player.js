// The bar around the frame in which a module runs: what it says, full screen, and how it is left.
customElements.define("course-player", class extends HTMLElement {
  #state = { saved: "saved", told: "" };

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
    this.#fullScreen();
  }

  // Content ends before its frame goes.
  async leave(to) {
    if (this.leaving) return;
    this.leaving = true;
    this.setAttribute("aria-busy", "true");
    const exited = new Promise((done) => { this.exited = done; });
    this.#post({ trilha: "exit" });
    await Promise.race([exited, new Promise((done) => setTimeout(done, 8000))]);
    this.removeAttribute("aria-busy");
    if (this.#state.saved === "saved") return location.assign(to);
    this.leaving = false;
    this.#tell("leaving");
  }

  #hear(event) {
    if (event.origin !== this.dataset.content || event.source !== this.frame.contentWindow) return;
    if (event.data?.trilha === "kept?") return this.#post({ trilha: "kept", kept: this.#kept() });
    if (event.data?.trilha === "keep") return this.#keep(event.data.key, event.data.text);
    if (event.data?.trilha !== "state") return;
    const { saved, told, exited, leave, to, reopen } = event.data;
    if (["saved", "saving", "unsaved", "lost"].includes(saved)) {
      this.#state.saved = this.saved.dataset.state = saved;
    }
    if (told !== this.#state.told) this.#tell(this.#state.told = told);
    if (exited) this.exited?.();
    if (reopen) location.reload();
    // Content has ended: back to the course, or on to another of its modules.
    const next = /^[0-9a-f-]{36}$/.test(to) ? `${this.dataset.course}/modules/${to}` : this.dataset.course;
    if (leave) this.leave(next);
  }

  #post(message) {
    this.frame.contentWindow.postMessage(message, this.dataset.content);
  }

  // For a frame that has no storage of its own: what is not sent yet of this attempt, and no more than that.
  #kept() {
    const prefix = `trilha.queue.${this.dataset.attempt}.`;
    return Object.keys(localStorage).filter((key) => key.startsWith(prefix)).map((key) => [key, localStorage.getItem(key)]);
  }

  #keep(key, text) {
    if (typeof key !== "string" || !key.startsWith(`trilha.queue.${this.dataset.attempt}.`) || key.length > 120) return;
    if (text === null) return localStorage.removeItem(key);
    if (typeof text !== "string" || text.length > 1_200_000 || this.#kept().length > 5) return;
    try {
      localStorage.setItem(key, text);
    } catch {
      // No room.
    }
  }

  #tell(what) {
    const template = [...this.querySelectorAll("template[data-told]")].find((each) => each.dataset.told === what);
    this.told.replaceChildren(...(template ? [template.content.cloneNode(true)] : []));
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
