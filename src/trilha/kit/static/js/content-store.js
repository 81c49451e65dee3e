// What is saved of modules on the content origin, through a hidden frame of that origin.
const LOADING = 20_000;

customElements.define("content-store", class extends HTMLElement {
  #asked = new Map();
  #number = 0;

  open(origin) {
    this.origin = origin;
    this.hidden = true;
    window.addEventListener("message", this.#hear);
    const frame = document.createElement("iframe");
    Object.assign(frame, { hidden: true, title: "offline", src: `${origin}/offline` });
    this.frame = frame;
    const ready = new Promise((done, fail) => {
      this.ready = done;
      setTimeout(() => fail(new Error("failed")), LOADING);
    });
    this.append(frame);
    document.body.append(this);
    return ready;
  }

  // Resolves to the result. An error's message is `no_room`, `unsupported` or `failed`.
  ask(message, progress = () => {}) {
    const number = (this.#number += 1);
    return new Promise((done, fail) => {
      this.#asked.set(number, { done, fail, progress });
      this.frame.contentWindow.postMessage({ trilha: "offline", number, ...message }, this.origin);
    });
  }

  close() {
    window.removeEventListener("message", this.#hear);
    this.remove();
  }

  #hear = (event) => {
    if (event.origin !== this.origin || event.source !== this.frame.contentWindow || event.data?.trilha !== "offline") return;
    const { number, ready, progress, done, result, problem, room } = event.data;
    if (ready) return this.ready();
    const asked = this.#asked.get(number);
    if (progress) asked?.progress(progress);
    if (!asked || !done) return;
    this.#asked.delete(number);
    if (problem) asked.fail(Object.assign(new Error(problem), { room }));
    else asked.done(result);
  };
});
