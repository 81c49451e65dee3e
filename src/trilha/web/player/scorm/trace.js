// Records calls of content to the runtime, which help to find out why a package fails. Values are shortened.

const BATCH = 200;
const MAX_CALLS = 4000;
const LENGTH = 250;
const EVERY = 20_000;
// Personal data does not explain a failure, but whether there was a value may.
const PERSONAL_ELEMENTS = ["cmi.core.student_id", "cmi.core.student_name", "cmi.learner_id", "cmi.learner_name"];
// The most calls that a closing page sends.
const MAX_LEAVING_CALLS = 60;

const shorten = (value) => (value === undefined || value === null ? "" : String(value).slice(0, LENGTH));
const mask = (value) => (shorten(value) ? "***" : "");

export class Trace {
  #calls = [];
  #count = 0;

  constructor(address) {
    this.address = address;
    setInterval(() => this.send(), EVERY);
  }

  note(name, element, value, result, error) {
    if ((this.#count += 1) > MAX_CALLS) return;
    const write = PERSONAL_ELEMENTS.includes(shorten(element)) ? mask : shorten;
    this.#calls.push({
      at: Math.round(performance.now()),
      name,
      element: shorten(element),
      value: write(value),
      result: write(result),
      error: Number(error) || 0,
    });
    if (this.#calls.length >= BATCH) this.send();
  }

  // Sends the batch. A lost batch is not sent again.
  send(leaving = false) {
    if (!this.#calls.length) return;
    const calls = leaving ? this.#calls.slice(-MAX_LEAVING_CALLS) : this.#calls;
    this.#calls = [];
    fetch(this.address, {
      method: "POST",
      headers: { "Content-Type": "application/json" },
      body: JSON.stringify({ calls }),
      keepalive: leaving,
    }).catch(() => {});
  }
}
