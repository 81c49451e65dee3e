// Sends a heartbeat twice a minute, which says whether the page was visible since the last one. Only visible time
// counts, by the server's clock. Without a connection, the visible time is measured here and reported later; the server
// decides how much of it counts.
import { launch } from "./data.js";
import { recall, remember } from "./snapshot.js";
import { PREFIX, storage } from "./storage.js";

const EVERY = 30_000;
// Longer gaps are those of a sleeping device.
const LONGEST_GAP = 45;

export class Heartbeat {
  #seen = document.visibilityState === "visible";
  #timer = null;
  #at = performance.now();
  // A record of its own: it changes often, and the reports beside it may be large.
  #key = `${PREFIX}${launch.attempt.id}.beats.${launch.launch.id}`;
  #offline = Math.max(
    read(storage.all().find(([key]) => key === this.#key)?.[1]),
    launch.launch.offline,
    recall("beats")?.seconds ?? 0,
  );

  constructor(address, connection, state) {
    this.address = address;
    this.connection = connection;
    this.state = state;
  }

  begin() {
    this.#timer = setInterval(() => this.beat(), EVERY);
    document.addEventListener("visibilitychange", () => this.beat());
    window.addEventListener("online", () => this.beat());
    // The page comes back from the back-forward cache, or the device wakes up.
    window.addEventListener("pageshow", (event) => event.persisted && this.beat());
    window.addEventListener("pagehide", () => this.beat());
  }

  end() {
    clearInterval(this.#timer);
  }

  async beat() {
    if (this.connection.ended) return;
    const visible = this.#seen;
    const now = performance.now();
    const seconds = Math.min((now - this.#at) / 1000, LONGEST_GAP);
    this.#at = now;
    const offline = this.#offline;
    this.#seen = document.visibilityState === "visible";
    try {
      const answer = await fetch(this.address("heartbeat"), {
        method: "POST",
        headers: { "Content-Type": "application/json" },
        body: JSON.stringify({ visible, base: this.connection.base, offline }),
        keepalive: true,
      });
      const told = await answer.json();
      if (answer.ok && this.#offline && !told.expired) this.#forget(offline);
      if (told.completed) this.state.complete();
      if (told.superseded) this.connection.supersede();
      else if (told.expired) this.connection.park("EXPIRED");
      else if (told.outcome === "SESSION_OVER") this.connection.park("SESSION_OVER");
      else if (answer.ok) this.connection.retry();
    } catch {
      if (visible) this.#miss(seconds);
    }
  }

  // Other modules open only with a connection. For them, the next heartbeat makes up for it. The seconds are those of
  // the whole launch, so that the server counts them once.
  #miss(seconds) {
    if (!launch.offline || this.connection.ended) return;
    this.#offline = Math.round((this.#offline + seconds) * 10) / 10;
    const item = { number: 1, kind: "beats", body: JSON.stringify({ seconds: this.#offline }) };
    try {
      storage.set(this.#key, JSON.stringify({ user: launch.user, launch: launch.launch.id, number: launch.launch.number, items: [item] }));
    } catch {
      // The storage is full: the time exists only in memory.
    }
  }

  // The server has so many seconds. More of them may have passed since.
  #forget(seconds) {
    remember("beats", JSON.stringify({ seconds }));
    if (this.#offline === seconds) storage.remove(this.#key);
  }
}

function read(text) {
  try {
    return JSON.parse(JSON.parse(text).items[0].body).seconds;
  } catch {
    return 0;
  }
}
