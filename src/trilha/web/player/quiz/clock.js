// The remaining time of an attempt. It counts down from what the server said last, whatever the device's clock says.
const TOLD_AT = [300, 60];

export class Clock {
  #until = 0;
  #last = Infinity;
  #timer = null;

  // `box` shows the time. `tell(seconds)` is called at 5 and at 1 minute, `over()` once when the time is over.
  constructor(box, { tell, over }) {
    this.box = box;
    Object.assign(this, { tell, over });
    this.sync(Number(box.dataset.remaining));
    this.#timer = setInterval(() => this.#tick(), 250);
  }

  get isOver() {
    return this.#timer === null;
  }

  // Takes over the remaining seconds from an answer of the server; null if no time is running.
  sync(remaining) {
    if (typeof remaining !== "number") return;
    this.#until = performance.now() + remaining * 1000;
    this.#tick();
  }

  #tick() {
    const left = Math.max(0, (this.#until - performance.now()) / 1000);
    const seconds = Math.ceil(left);
    const hours = Math.floor(seconds / 3600);
    const minutes = String(Math.floor(seconds / 60) % 60).padStart(hours ? 2 : 1, "0");
    this.box.querySelector("[role=timer]").textContent = `${hours ? `${hours}:` : ""}${minutes}:${String(seconds % 60).padStart(2, "0")}`;
    this.box.dataset.state = seconds <= 60 ? "bad" : seconds <= 300 ? "warn" : "";
    for (const at of TOLD_AT) if (this.#last > at && left <= at && left > 0 && this.#last < Infinity) this.tell(at);
    this.#last = left;
    if (left > 0 || !this.#timer) return;
    clearInterval(this.#timer);
    this.#timer = null;
    this.over();
  }
}
