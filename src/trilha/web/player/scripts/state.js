// The state that the player's bar shows. It is "saved" only while the server has everything.



export class State {
  #told = "";
  #shown = "saved";
  #dirty = false;
  #going = false;
  #sending = false;
  #waiting = false;
  #lost = false;
  #completed = false;
  #leftOut = 0;

  constructor(launch) {
    this.review = launch.review;
  }

  get saved() {
    return this.#shown;
  }

  // Whether the content has changes that are not in a report yet.
  set dirty(value) {
    this.#dirty = value;
    this.#tell();
  }

  get dirty() {
    return this.#dirty;
  }

  // Whether something reports every few seconds, such as a playing video; then the bar shows "saving".
  set going(value) {
    this.#going = value;
    this.#tell();
  }

  // `waiting`: reports are stored here and not sent yet; `sending`: one is on its way.
  queue(waiting, sending) {
    this.#waiting = waiting;
    this.#sending = sending;
    this.#tell();
  }

  // Marks work as lost, which the bar shows from now on.
  lose() {
    this.#lost = true;
    this.#tell();
  }

  // Records how many answers were omitted from a commit that was too large.
  leaveOut(count) {
    this.#leftOut = Math.max(this.#leftOut, count);
    this.#tell(true);
  }

  // Sets the notice to show: "", offline, superseded, expired, signed_out, too_large or refused.
  say(told) {
    if (this.#told === told) return;
    this.#told = told;
    this.#tell(true);
  }

  get told() {
    return this.#told;
  }

  complete() {
    if (this.#completed) return;
    this.#completed = true;
    this.#tell(true);
  }

  // Tells the outer page that it may navigate now.
  exited() {
    this.#post({ exited: true });
  }

  // Asks the outer page for a new launch.
  reopen() {
    this.#post({ reopen: true });
  }

  // Tells the outer page that the module has ended, so that it shows how.
  finish() {
    this.#post({ finish: true });
  }

  // Tells the outer page to leave the module, to another one or to the course.
  leave(to = "") {
    this.#post({ leave: true, to });
  }

  #now() {
    // In a review nothing counts, so nothing is unsaved.
    const unsaved = !this.review && (this.#dirty || this.#waiting);
    if (this.#lost && unsaved) return "lost";
    if (!unsaved) return "saved";
    return this.#sending || (this.#going && !this.#waiting && !this.#told) ? "saving" : "unsaved";
  }

  #tell(always = false) {
    const now = this.#now();
    if (now === this.#shown && !always) return;
    this.#shown = now;
    this.#post({});
  }

  #post(more) {
    const message = { trilha: "state", saved: this.#shown, told: this.#told, completed: this.#completed, leftOut: this.#leftOut, ...more };
    if (window.parent !== window) window.parent.postMessage(message, "*");
  }
}

