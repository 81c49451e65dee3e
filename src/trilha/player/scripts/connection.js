// Sends what was done, in order, and keeps it on this device until the server has it: through a lost network, a
// reload, a browser that was killed. What a launch could not send itself, the page around sends for it before it
// begins another one (`held.js`). Numbers grow with everything that is sent, so that the server knows what is newer.

import { kept, PREFIX } from "./keeping.js";
import { reduced } from "./reducing.js";

// The server takes 2 MiB.
const MOST_BYTES = 2_000_000;
// Browsers take 64 KiB of a page that is being closed, in all.
const LEAVING_BYTES = 60_000;
const PAUSES = [1000, 2000, 4000, 8000, 15_000, 30_000];
const TIMEOUT = 20_000;
// The server has it, or in a review has seen it.
const SETTLED = ["APPLIED", "REPEATED", "STALE", "REVIEW"];
// The launch takes nothing more. What waits stays on this device, and is sent when the module is opened again.
const PARKED = { EXPIRED: "expired", LAUNCH_OVER: "expired", SESSION_OVER: "signed_out", LAUNCH_NOT_FOUND: "refused" };

// Content may cut a text in the middle of a character: half of one is no text.
const whole = (_, value) => (typeof value === "string" && value.isWellFormed?.() === false ? value.toWellFormed() : value);
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
    this.#left = (read(kept.all().find(([key]) => key === this.#key)?.[1])?.items ?? [])
      .filter((item) => item.number > launch.launch.sequence);
    this.sequence = Math.max(launch.launch.sequence, ...this.#left.map((item) => item.number));
    // What this page began with: the server takes nothing that would undo what came late from elsewhere.
    this.base = launch.attempt.late_commits;
    if (launch.launch.superseded && !this.#left.length) this.supersede();
    window.addEventListener("online", () => this.retry());
    window.addEventListener("offline", () => this.#show());
  }

  // What is done with the answer to a report, if anything: its kind, and the answer.
  onAnswer = null;
  #address;
  #key;
  #left;
  #unsavable = false;

  // Keeps a body and sends it soon. With `replaces`, earlier ones of its kind that were not sent are not any more:
  // it says all that they did. `final`: what was opened is left with it.
  push(kind, body, { final = false, replaces = false } = {}) {
    this.#add(kind, body, final, replaces);
    this.#pump();
  }

  // The same, before this returns. True when the server has it or it is kept here; false when it is lost.
  pushNow(kind, body, { final = false, replaces = false } = {}) {
    const item = this.#add(kind, body, final, replaces);
    if (this.#ended) return this.#keeps;
    const request = new XMLHttpRequest();
    try {
      request.open("POST", this.#address(kind), false);
      request.setRequestHeader("Content-Type", "application/json");
      request.send(item.body);
      this.#answered(item, request.status, request.responseText, request.getResponseHeader("retry-after"));
    } catch {
      // Offline, or a page that is being closed: there browsers send nothing while they wait.
      this.#beacon(item);
      this.#failed();
    }
    return Boolean(item.saved) || this.#keeps;
  }

  // The page is being closed: what is small enough still goes; all of it is kept for the next launch. `small` says
  // the most important of the body, for when the whole is too large.
  leave(kind, body, { small = null, final = false, replaces = true } = {}) {
    if (small && bytes(JSON.stringify(body)) > LEAVING_BYTES) {
      this.#beacon(this.#add(kind, small, final, false));
    }
    this.#beacon(this.#add(kind, body, final, replaces));
  }

  // Sends what an earlier page of this launch left here. Resolves to whether the server has taken any of it.
  async recover() {
    if (!this.#left.length) return false;
    this.#items = [...this.#left, ...this.#items];
    this.#left = [];
    await this.drain(10_000);
    return !this.#items.length;
  }

  // Resolves when everything is on the server, or after so many milliseconds. Whether it is.
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

  // Opened somewhere else: nothing of this page is saved any more. What waits still counts as long as nothing came
  // from there: the server says so of each.
  supersede() {
    if (this.#items.length && !this.#ended) return this.retry();
    this.#end("superseded");
  }

  // The launch is over: out of reach for too long, or its person has signed out. What is kept here is sent when the
  // module is opened again.
  park(outcome) {
    if (this.#ended) return;
    this.#ended = PARKED[outcome];
    this.state.say(this.#ended);
    this.#show();
  }

  // Whether what is not sent now is sent when the module is opened again, at the latest.
  get #keeps() {
    return !["superseded", "refused"].includes(this.#ended);
  }

  get ended() {
    return this.#ended;
  }

  #end(told) {
    if (this.#ended === told) return;
    const unsaved = this.#unsavable || this.#items.length > 0 || this.state.dirty;
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
    const item = { number: this.sequence, kind, final, replaces, body: JSON.stringify({ ...body, launch }, whole) };
    if (!left_out && bytes(item.body) > MOST_BYTES) {
      const small = reduced(kind, body);
      if (small) return this.#add(kind, small.body, final, replaces, this.#leftOut(launch, small.leftOut));
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
        // What is on its way when the page is closed still arrives.
        keepalive: bytes(item.body) <= LEAVING_BYTES,
        signal: AbortSignal.timeout(TIMEOUT),
      });
      const text = await answer.text();
      this.#sending = null;
      this.#answered(item, answer.status, text, answer.headers.get("retry-after"));
    } catch {
      this.#sending = null;
      this.#failed();
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
        this.#answered(item, answer.status, await answer.text(), answer.headers.get("retry-after"));
        this.#pump();
      }).catch(() => {});
    } catch {
      navigator.sendBeacon?.(this.#address(item.kind), item.body);
    }
  }

  #answered(item, status, text, after) {
    let answer = null;
    try {
      answer = JSON.parse(text);
    } catch {
      // A proxy's page: nothing is known.
    }
    // Also by a proxy, which says it in its own way.
    if (status === 413) return this.#reduce(item);
    if (answer === null || typeof answer.result !== "boolean" || status >= 500) return this.#failed();
    if (status === 429) return this.#failed(Number(after) * 1000);
    this.#failures = 0;
    if (this.state.told === "offline") this.state.say("");
    if (answer.completed) this.state.complete();
    this.onAnswer?.(item.kind, answer);
    if (SETTLED.includes(answer.outcome)) {
      this.#saved(item);
      // The last that counts here: what comes from elsewhere replaces it.
      if (answer.superseded && !this.#items.length) this.supersede();
      return;
    }
    if (answer.outcome in PARKED) return this.park(answer.outcome);
    if (answer.outcome === "CONFLICTING") return this.#renumber(item);
    this.#refused(item, answer.outcome === "SUPERSEDED" ? "superseded" : "refused");
  }

  // The server keeps what it can not apply, for the administrator. What waits behind it is judged by itself.
  #refused(item, told) {
    this.#unsavable = true;
    this.#items = this.#items.filter((each) => each !== item);
    if (!this.#items.length) return this.#end(told);
    this.#keep();
    this.#show();
  }

  // Too large for the server, or for what is before it: nothing waits behind it for ever.
  #reduce(item) {
    this.#failures = 0;
    this.#items = this.#items.filter((each) => each !== item);
    const { launch, ...body } = JSON.parse(item.body);
    const small = reduced(item.kind, { ...body, launch });
    if (small) {
      this.#add(item.kind, small.body, item.final, item.replaces, this.#leftOut(launch, small.leftOut));
    } else {
      this.#keep();
      this.state.say("too_large");
      this.#lose();
    }
    queueMicrotask(() => this.#pump());
  }

  #leftOut({ sent_at, base }, count) {
    this.state.leaveOut(count);
    return { sent_at, base, left_out: count };
  }

  // The server has this one, and what it replaces.
  #saved(item) {
    item.saved = true;
    const before = (each) => each.number <= item.number && (each === item || (item.replaces && each.kind === item.kind));
    this.#items = this.#items.filter((each) => !before(each));
    this.#keep();
    this.#show();
  }

  // Another tab of this launch has used the number.
  #renumber(item) {
    this.#items = this.#items.filter((each) => each !== item);
    const { launch, ...body } = JSON.parse(item.body);
    this.sequence += 10;
    this.#add(item.kind, body, item.final, item.replaces, launch);
  }

  #failed(wait = 0) {
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
    if (!this.#items.length) return kept.remove(this.#key);
    const { launch, user } = this.launch;
    const all = { user, launch: launch.id, number: launch.number, items: this.#items };
    try {
      kept.set(this.#key, JSON.stringify(all));
    } catch {
      // No room: it is in memory alone.
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
