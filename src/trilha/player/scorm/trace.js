// Calls of content to the runtime, for whoever looks why a package fails: shortened, in batches, and only so many.

const BATCH = 200;
const MOST = 4000;
const LENGTH = 250;
const EVERY = 20_000;
// Who it was is nothing that explains a failure; whether there was a value may be.
const OF_THE_PERSON = ["cmi.core.student_id", "cmi.core.student_name", "cmi.learner_id", "cmi.learner_name"];
// As a page that is being closed sends it.
const LEAVING = 60;

const shown = (value) => (value === undefined || value === null ? "" : String(value).slice(0, LENGTH));
const masked = (value) => (shown(value) ? "***" : "");

export class Trace {
  #calls = [];
  #count = 0;

  constructor(address) {
    this.address = address;
    setInterval(() => this.send(), EVERY);
  }

  note(name, element, value, result, error) {
    if ((this.#count += 1) > MOST) return;
    const told = OF_THE_PERSON.includes(shown(element)) ? masked : shown;
    this.#calls.push({
      at: Math.round(performance.now()),
      name,
      element: shown(element),
      value: told(value),
      result: told(result),
      error: Number(error) || 0,
    });
    if (this.#calls.length >= BATCH) this.send();
  }

  // What is not sent is not missed.
  send(leaving = false) {
    if (!this.#calls.length) return;
    const calls = leaving ? this.#calls.slice(-LEAVING) : this.#calls;
    this.#calls = [];
    fetch(this.address, {
      method: "POST",
      headers: { "Content-Type": "application/json" },
      body: JSON.stringify({ calls }),
      keepalive: leaving,
    }).catch(() => {});
  }
}
