// Tells what is watched or read, as it goes on: some seconds after something new, and at once where it stops.

const EVERY = 10_000;
const SOON = 500;

export class Study {
  #news = false;
  #timer = null;

  // `kind` is where it goes, `body()` all of it so far; `heard(progress)` is told the module's progress.
  constructor(kind, connection, state, body, heard) {
    Object.assign(this, { kind, connection, state, body });
    connection.onAnswer = (of, answer) => {
      if (of === kind && typeof answer.progress === "number") heard(answer.progress);
    };
    document.addEventListener("visibilitychange", () => {
      if (document.visibilityState === "hidden") this.tell();
    });
    window.addEventListener("pagehide", () => {
      if (this.#news) connection.leave(kind, body(), { final: true });
      this.#news = false;
    });
  }

  // There is something new; it is told with what comes in the next seconds.
  note() {
    if (this.state.review) return;
    this.#news = true;
    this.state.going = true;
    this.state.dirty = true;
    this.#timer ??= setTimeout(() => this.tell(), EVERY);
  }

  // It is told within a moment.
  soon() {
    this.note();
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.tell(), SOON);
  }

  tell(final = false) {
    clearTimeout(this.#timer);
    this.#timer = null;
    if (this.state.review || (!this.#news && !final)) return;
    this.#news = false;
    this.state.going = false;
    this.state.dirty = false;
    this.connection.push(this.kind, this.body(), { final, replaces: true });
  }
}
