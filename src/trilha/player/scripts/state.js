// What the bar around the frame shows. It says "saved" only while everything that was done is on the server.



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

  // Something was done that is not sent yet.
  set dirty(value) {
    this.#dirty = value;
    this.#tell();
  }

  get dirty() {
    return this.#dirty;
  }

  // Something is being done that is sent every few seconds, as a video that plays: it is being saved.
  set going(value) {
    this.#going = value;
    this.#tell();
  }

  // `waiting`: something is kept here that the server has not got; `sending`: it is on its way.
  queue(waiting, sending) {
    this.#waiting = waiting;
    this.#sending = sending;
    this.#tell();
  }

  // It will never be saved: the page says so from now on.
  lose() {
    this.#lost = true;
    this.#tell();
  }

  // So many answers were too large to be sent. What decides was sent without them.
  leaveOut(count) {
    this.#leftOut = Math.max(this.#leftOut, count);
    this.#tell(true);
  }

  // What else there is to say: "", offline, superseded, expired, signed_out, too_large, refused.
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

  // The page around the frame may go on now.
  exited() {
    this.#post({ exited: true });
  }

  // What was opened goes on in a launch of its own.
  reopen() {
    this.#post({ reopen: true });
  }

  // Content asks to be left.
  leave(to = "") {
    this.#post({ leave: true, to });
  }

  #now() {
    // In a review nothing counts, which the bar says all the time.
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

