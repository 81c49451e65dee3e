// Sends a heartbeat twice a minute, which says whether the page was visible since the last one. Only visible time
// counts, by the server's clock.

const EVERY = 30_000;

export class Heartbeat {
  #seen = document.visibilityState === "visible";
  #timer = null;

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
    this.#seen = document.visibilityState === "visible";
    try {
      const answer = await fetch(this.address("heartbeat"), {
        method: "POST",
        headers: { "Content-Type": "application/json" },
        body: JSON.stringify({ visible, base: this.connection.base }),
        keepalive: true,
      });
      const told = await answer.json();
      if (told.completed) this.state.complete();
      if (told.superseded) this.connection.supersede();
      else if (told.expired) this.connection.park("EXPIRED");
      else if (told.outcome === "SESSION_OVER") this.connection.park("SESSION_OVER");
      else if (answer.ok) this.connection.retry();
    } catch {
      // The next heartbeat makes up for it.
    }
  }
}
