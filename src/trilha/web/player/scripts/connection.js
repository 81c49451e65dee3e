// Sends reports in order, and stores each on this device until the server has it, so that none is lost when the
// network fails or the page or browser closes. The outer page sends what a launch could not send itself before it
// creates another launch (`held-work.js`). Each report has a higher number, so that the server knows what is newer.

import { storage, PREFIX } from "./storage.js";
import { shorten } from "./shortening.js";
import { isSavedPage, remember } from "./snapshot.js";

// The server accepts 2 MiB.
const MAX_BYTES = 2_000_000;
// Browsers send at most 64 KiB for a page that is closing.
const LEAVING_BYTES = 60_000;
const PAUSES = [1000, 2000, 4000, 8000, 15_000, 30_000];
const TIMEOUT = 20_000;
// Outcomes of reports that need not be sent again.
const SETTLED = ["APPLIED", "REPEATED", "STALE", "REVIEW"];
// Outcomes after which the launch accepts no report. Waiting reports stay here until the module is opened again.
const PARKED = { EXPIRED: "expired", LAUNCH_OVER: "expired", SESSION_OVER: "signed_out", LAUNCH_NOT_FOUND: "refused" };

// Content may cut a string inside a surrogate pair, which JSON in UTF-8 cannot carry.
const toWellFormed = (_, value) => (typeof value === "string" && value.isWellFormed?.() === false ? value.toWellFormed() : value);
const bytes = (text) => new Blob([text]).size;

export class Connection {
  #items = [];
  #sending = null;
  #failures = 0;
  #timer = null;
  #ended = "";

  // `address(kind)` is where a kind of report goes.
  constructor(launch, address, state) {
    this.launch = launch;
    this.state = state;
    this.#address = address;
    this.#key = `${PREFIX}${launch.attempt.id}.${launch.launch.id}`;
    this.#left = (read(storage.all().find(([key]) => key === this.#key)?.[1])?.items ?? [])
      .filter((item) => item.number > launch.launch.sequence);
    this.sequence = Math.max(launch.launch.sequence, ...this.#left.map((item) => item.number));
    // The number of late commits the page began with: the server refuses reports that would undo a later one.
    this.base = launch.attempt.late_commits;
    if (launch.launch.superseded && !this.#left.length) this.supersede();
    // A page that is shown from what is saved goes on where the earlier one was: it is not reloaded.
    if (isSavedPage) [this.#items, this.#left] = [this.#left, []];
    window.addEventListener("online", () => this.retry());
    window.addEventListener("offline", () => this.#show());
  }

  // An optional callback for answers, with the report's kind and the answer.
  onAnswer = null;
  #address;
  #key;
  #left;
  #hasRefusedReport = false;

  // Stores a report and sends it soon. With `replaces`, it supersedes unsent reports of its kind, because it contains
  // all that they do. `final` marks the last report of a launch.
  push(kind, body, { final = false, replaces = false } = {}) {
    this.#add(kind, body, final, replaces);
    this.#pump();
  }

  // The same, synchronously. Returns true if the report was saved or is stored here, false if it is lost.
  pushNow(kind, body, { final = false, replaces = false } = {}) {
    const item = this.#add(kind, body, final, replaces);
    if (this.#ended) return this.#keeps;
    const request = new XMLHttpRequest();
    try {
      request.open("POST", this.#address(kind), false);
      request.setRequestHeader("Content-Type", "application/json");
      request.send(item.body);
      this.#handleAnswer(item, request.status, request.responseText, request.getResponseHeader("retry-after"));
    } catch {
      // Offline, or the page is closing, when browsers refuse synchronous requests.
      this.#beacon(item);
      this.#retryLater();
    }
    return Boolean(item.saved) || this.#keeps;
  }

  // Called when the page closes. Sends the report if it is small enough, and stores it for the next launch. `small` is
  // a short form of the body, which is sent if the whole is too large.
  leave(kind, body, { small = null, final = false, replaces = true } = {}) {
    if (small && bytes(JSON.stringify(body)) > LEAVING_BYTES) {
      this.#beacon(this.#add(kind, small, final, false));
    }
    this.#beacon(this.#add(kind, body, final, replaces));
  }

  // Sends what an earlier page of this launch left here. Resolves to true if the server has all of it.
  async recover() {
    if (!this.#left.length) return false;
    this.#items = [...this.#left, ...this.#items];
    this.#left = [];
    await this.drain(10_000);
    return !this.#items.length;
  }

  // Waits until everything is sent, at most so many milliseconds. Resolves to whether it is.
  async drain(milliseconds) {
    const until = Date.now() + milliseconds;
    while (this.#items.length && !this.#ended && Date.now() < until) {
      this.retry();
      await new Promise((wake) => setTimeout(wake, 100));
    }
    return !this.#items.length;
  }

  retry() {
    clearTimeout(this.#timer);
    this.#timer = null;
    this.#pump();
  }

  // The module was opened somewhere else, so new reports of this page do not count. Waiting ones still count unless
  // the other launch has reported: the server decides for each.
  supersede() {
    if (this.#items.length && !this.#ended) return this.retry();
    this.#end("superseded");
  }

  // The launch is over, because it was offline for too long or the person signed out. Stored reports are sent when
  // the module is opened again.
  park(outcome) {
    if (this.#ended) return;
    this.#ended = PARKED[outcome];
    this.state.say(this.#ended);
    this.#show();
  }

  // Whether unsent reports stay stored until the module is opened again.
  get #keeps() {
    return !["superseded", "refused"].includes(this.#ended);
  }

  get ended() {
    return this.#ended;
  }

  #end(told) {
    if (this.#ended === told) return;
    const unsaved = this.#hasRefusedReport || this.#items.length > 0 || this.state.dirty;
    this.#ended = told;
    this.#items = [];
    this.#keep();
    this.state.say(told);
    this.state.queue(false, false);
    if (unsaved) this.#lose();
  }

  #lose() {
    this.state.dirty = true;
    this.state.lose();
  }

  #add(kind, body, final, replaces, { sent_at = Date.now(), base = this.base, left_out = 0 } = {}) {
    if (replaces) this.#items = this.#items.filter((each) => each.kind !== kind || !each.replaces);
    this.sequence += 1;
    const launch = { sequence: this.sequence, final, sent_at, base, ...(left_out && { left_out }) };
    const item = { number: this.sequence, kind, final, replaces, body: JSON.stringify({ ...body, launch }, toWellFormed) };
    if (!left_out && bytes(item.body) > MAX_BYTES) {
      const small = shorten(kind, body);
      if (small) return this.#add(kind, small.body, final, replaces, this.#noteOmitted(launch, small.leftOut));
    }
    if (!this.#keeps) {
      this.#lose();
      return item;
    }
    this.#items.push(item);
    this.#keep();
    this.#show();
    return item;
  }

  async #pump() {
    if (this.#sending || this.#timer || this.#ended || !this.#items.length) return this.#show();
    const item = (this.#sending = this.#items[0]);
    this.#show();
    try {
      const answer = await fetch(this.#address(item.kind), {
        method: "POST",
        headers: { "Content-Type": "application/json" },
        body: item.body,
        // A request under way still arrives if the page closes.
        keepalive: bytes(item.body) <= LEAVING_BYTES,
        signal: AbortSignal.timeout(TIMEOUT),
      });
      const text = await answer.text();
      this.#sending = null;
      this.#handleAnswer(item, answer.status, text, answer.headers.get("retry-after"));
    } catch {
      this.#sending = null;
      this.#retryLater();
    }
    this.#pump();
  }

  #beacon(item) {
    if (this.#ended || bytes(item.body) > LEAVING_BYTES) return;
    try {
      fetch(this.#address(item.kind), {
        method: "POST",
        headers: { "Content-Type": "application/json" },
        body: item.body,
        keepalive: true,
      }).then(async (answer) => {
        this.#handleAnswer(item, answer.status, await answer.text(), answer.headers.get("retry-after"));
        this.#pump();
      }).catch(() => {});
    } catch {
      navigator.sendBeacon?.(this.#address(item.kind), item.body);
    }
  }

  #handleAnswer(item, status, text, after) {
    let answer = null;
    try {
      answer = JSON.parse(text);
    } catch {
      // Not our server's answer, but perhaps a proxy's error page.
    }
    // A proxy may answer this, too, with a body of its own.
    if (status === 413) return this.#reduce(item);
    if (answer === null || typeof answer.result !== "boolean" || status >= 500) return this.#retryLater();
    if (status === 429) return this.#retryLater(Number(after) * 1000);
    this.#failures = 0;
    if (this.state.told === "offline") this.state.say("");
    if (answer.completed) this.state.complete();
    this.onAnswer?.(item.kind, answer);
    if (SETTLED.includes(answer.outcome)) {
      this.#removeSaved(item);
      // This was the last report that counts here.
      if (answer.superseded && !this.#items.length) this.supersede();
      return;
    }
    if (answer.outcome in PARKED) return this.park(answer.outcome);
    if (answer.outcome === "CONFLICTING") return this.#renumber(item);
    this.#refuse(item, answer.outcome === "SUPERSEDED" ? "superseded" : "refused");
  }

  // The server stores a refused report for administrators. The reports after it are still sent.
  #refuse(item, told) {
    this.#hasRefusedReport = true;
    this.#items = this.#items.filter((each) => each !== item);
    if (!this.#items.length) return this.#end(told);
    this.#keep();
    this.#show();
  }

  // The report is too large for the server or a proxy. Shortens or drops it, so that it does not block the others.
  #reduce(item) {
    this.#failures = 0;
    this.#items = this.#items.filter((each) => each !== item);
    const { launch, ...body } = JSON.parse(item.body);
    const small = shorten(item.kind, { ...body, launch });
    if (small) {
      this.#add(item.kind, small.body, item.final, item.replaces, this.#noteOmitted(launch, small.leftOut));
    } else {
      this.#keep();
      this.state.say("too_large");
      this.#lose();
    }
    queueMicrotask(() => this.#pump());
  }

  #noteOmitted({ sent_at, base }, count) {
    this.state.leaveOut(count);
    return { sent_at, base, left_out: count };
  }

  // Forgets a saved report and those that it replaces.
  #removeSaved(item) {
    item.saved = true;
    remember(item.kind, item.body);
    const before = (each) => each.number <= item.number && (each === item || (item.replaces && each.kind === item.kind));
    this.#items = this.#items.filter((each) => !before(each));
    this.#keep();
    this.#show();
  }

  // Another tab of this launch has used the number already.
  #renumber(item) {
    this.#items = this.#items.filter((each) => each !== item);
    const { launch, ...body } = JSON.parse(item.body);
    this.sequence += 10;
    this.#add(item.kind, body, item.final, item.replaces, launch);
  }

  #retryLater(wait = 0) {
    const pause = wait || PAUSES[Math.min(this.#failures, PAUSES.length - 1)];
    this.#failures += 1;
    if (this.#failures > 1 || !navigator.onLine) this.state.say("offline");
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.retry(), pause * (0.75 + Math.random() / 2));
    this.#show();
  }

  #show() {
    const failing = this.#failures > 0 || !navigator.onLine;
    this.state.queue(this.#items.length > 0, Boolean(this.#items.length) && !failing && !this.#ended);
  }

  #keep() {
    if (!this.#items.length) return storage.remove(this.#key);
    const { launch, user } = this.launch;
    const all = { user, launch: launch.id, number: launch.number, items: this.#items };
    try {
      storage.set(this.#key, JSON.stringify(all));
    } catch {
      // The storage is full: the reports exist only in memory.
    }
  }
}

function read(text) {
  if (!text) return null;
  try {
    const left = JSON.parse(text);
    return left && Array.isArray(left.items) ? left : null;
  } catch {
    return null;
  }
}
