// Sends what was done, in order, and keeps it on this device until the server has it: through a lost network, a
// reload, a browser that was killed. What an earlier launch of the same attempt could not send is sent by the
// next one. Numbers grow with everything that is sent, so that the server knows what is newer.

import { kept, PREFIX } from "./keeping.js";

const MONTH = 30 * 86_400_000;
// Browsers take 64 KiB of a page that is being closed, in all.
const LEAVING_BYTES = 60_000;
const PAUSES = [1000, 2000, 4000, 8000, 15_000, 30_000];
const TIMEOUT = 20_000;
const SAVED = ["APPLIED", "REPEATED", "STALE"];

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
    const own = this.#left().find(([key]) => key === this.#key);
    this.sequence = Math.max(launch.launch.sequence, own?.[1].sequence ?? 0);
    // What this page began with: the server takes nothing that would undo what came late from elsewhere.
    this.base = launch.attempt.late_commits;
    if (launch.launch.superseded && !own?.[1].items.length) this.supersede();
    window.addEventListener("online", () => this.retry());
    window.addEventListener("offline", () => this.#show());
  }

  // What is done with the answer to a report, if anything: its kind, and the answer.
  onAnswer = null;
  #address;
  #key;

  // Keeps a body and sends it soon. With `replaces`, earlier ones of its kind that were not sent are not any more:
  // it says all that they did. `final`: what was opened is left with it.
  push(kind, body, { final = false, replaces = false } = {}) {
    this.#add(kind, body, final, replaces);
    this.#pump();
  }

  // The same, before this returns. True when the server has it or it is kept here; false when it is lost.
  pushNow(kind, body, { final = false, replaces = false } = {}) {
    const item = this.#add(kind, body, final, replaces);
    if (this.#ended) return false;
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
    return Boolean(item.saved) || !this.#ended;
  }

  // The page is being closed: what is small enough still goes; all of it is kept for the next launch. `small` says
  // the most important of the body, for when the whole is too large.
  leave(kind, body, { small = null, final = false, replaces = true } = {}) {
    if (small && bytes(JSON.stringify(body)) > LEAVING_BYTES) {
      this.#beacon(this.#add(kind, small, final, false));
    }
    this.#beacon(this.#add(kind, body, final, replaces));
  }

  // Sends what earlier launches of this attempt left here. Resolves to whether the server has taken any of it.
  async recover() {
    let taken = false;
    for (const [key, left] of this.#left()) {
      const newest = left.number >= this.launch.attempt.newest_launch;
      for (const item of left.items) {
        const own = key === this.#key;
        if (own ? item.number <= this.launch.launch.sequence : !newest && item.replaces) continue;
        const { launch, ...body } = JSON.parse(item.body);
        // The page that this is from began with something else.
        this.#add(item.kind, body, item.final, item.replaces, launch.sent_at, null);
        taken = true;
      }
      if (key !== this.#key) this.#forget(key);
    }
    if (taken) await this.drain(10_000);
    return taken && !this.#items.length;
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

  // Out of reach for too long. What is kept here is sent by the next launch.
  expire() {
    if (this.#ended) return;
    this.#ended = "expired";
    this.state.say("expired");
    this.#show();
  }

  get ended() {
    return this.#ended;
  }

  #end(told) {
    if (this.#ended === told) return;
    const unsaved = this.#items.length > 0 || this.state.dirty;
    this.#ended = told;
    this.#items = [];
    this.#forget(this.#key);
    this.state.say(told);
    this.state.queue(false, false);
    if (unsaved) this.#lose();
  }

  #lose() {
    this.state.dirty = true;
    this.state.lose();
  }

  #add(kind, body, final, replaces, sent_at = Date.now(), base = this.base) {
    if (replaces) this.#items = this.#items.filter((each) => each.kind !== kind || !each.replaces);
    this.sequence += 1;
    const launch = { sequence: this.sequence, final, sent_at, base };
    const item = { number: this.sequence, kind, final, replaces, body: JSON.stringify({ ...body, launch }, whole) };
    if (this.#ended === "superseded" || this.#ended === "refused") {
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
    if (answer === null || typeof answer.result !== "boolean" || status >= 500) return this.#failed();
    if (status === 429) return this.#failed(Number(after) * 1000);
    this.#failures = 0;
    if (this.state.told === "offline") this.state.say("");
    if (answer.completed) this.state.complete();
    this.onAnswer?.(item.kind, answer);
    if (SAVED.includes(answer.outcome)) {
      this.#saved(item);
      // The last that counts here: what comes from elsewhere replaces it.
      if (answer.superseded && !this.#items.length) this.supersede();
      return;
    }
    if (answer.outcome === "EXPIRED") return this.expire();
    if (answer.outcome === "CONFLICTING") return this.#renumber(item);
    this.#end(answer.outcome === "SUPERSEDED" ? "superseded" : "refused");
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
    this.#add(item.kind, body, item.final, item.replaces, launch.sent_at, launch.base);
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
    if (!this.#items.length) return this.#forget(this.#key);
    const { launch } = this.launch;
    const all = { number: launch.number, sequence: this.sequence, at: Date.now(), items: this.#items };
    try {
      kept.set(this.#key, JSON.stringify(all));
    } catch {
      // No room: it is in memory alone.
    }
  }

  // By key, what this launch and earlier ones of the attempt have left, the earliest first.
  #left() {
    const found = [];
    for (const [key, text] of kept.all()) {
      const left = read(text);
      if (!left || Date.now() - left.at > MONTH) this.#forget(key);
      else if (key.startsWith(`${PREFIX}${this.launch.attempt.id}.`)) found.push([key, left]);
    }
    return found.sort((one, other) => one[1].number - other[1].number);
  }

  #forget(key) {
    kept.remove(key);
  }
}

function read(text) {
  try {
    const left = JSON.parse(text);
    return left && Array.isArray(left.items) ? left : null;
  } catch {
    return null;
  }
}
