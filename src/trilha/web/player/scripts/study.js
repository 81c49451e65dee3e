// Reports what the learner watches or reads: every few seconds, and at once when it stops.

const EVERY = 10_000;
const SOON = 500;
// Longer than an exit waits for its reports.
const EXIT = 6000;

export class Study {
  #news = false;
  #timer = null;
  #leaving = false;

  // `kind` is the kind of report, `body()` returns all progress so far, and `heard(progress)` gets the module's progress.
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

  // Notes new progress, which is reported within ten seconds.
  note() {
    if (this.state.review) return;
    this.#news = true;
    if (this.#leaving) return;
    this.state.going = true;
    this.state.dirty = true;
    this.#timer ??= setTimeout(() => this.tell(), EVERY);
  }

  // Notes new progress, which is reported within half a second.
  soon() {
    this.note();
    if (this.#leaving) return;
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.tell(), SOON);
  }

  // Reports everything, because the learner exits. What is noted meanwhile is sent when the page closes, so that it does
  // not hold up the exit, and like all else if the page stays.
  exit() {
    this.tell(true);
    this.#leaving = true;
    setTimeout(() => { this.#leaving = false; }, EXIT);
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
