// Sends what this browser still holds of the person's modules, each under the launch that made it, before anything new
// begins. What cannot be applied is told. Beside a module that does not open it does so by itself.
const PAUSES = [1000, 2000, 4000, 8000, 15_000, 30_000];
const TIMEOUT = 30_000;
const LOADING = 20_000;
const CONFLICTS = 3;

class Unreachable extends Error {
  constructor(wait = 0) {
    super();
    this.wait = wait;
  }
}

// The storage of a content origin, by a hidden frame of that origin.
class Box {
  static open(origin) {
    const frame = document.createElement("iframe");
    Object.assign(frame, { hidden: true, src: `${origin}/held` });
    const box = new Box(origin, frame);
    const opened = box.hear("held");
    document.body.append(frame);
    return opened.then((data) => Object.assign(box, { records: data.records }), (error) => {
      frame.remove();
      throw error;
    });
  }

  constructor(origin, frame) {
    Object.assign(this, { origin, frame });
  }

  hear(what, key, number) {
    return new Promise((done, fail) => {
      const end = (act) => {
        clearTimeout(timer);
        window.removeEventListener("message", listen);
        act();
      };
      const listen = (event) => {
        if (event.origin !== this.origin || event.source !== this.frame.contentWindow) return;
        if (event.data?.trilha !== what || event.data.key !== key || event.data.number !== number) return;
        end(() => done(event.data));
      };
      const timer = setTimeout(() => end(() => fail(new Unreachable())), LOADING);
      window.addEventListener("message", listen);
    });
  }

  async change(trilha, key, number) {
    const changed = this.hear("changed", key, number);
    this.frame.contentWindow.postMessage({ trilha, key, number }, this.origin);
    return (await changed).item;
  }

  forget(key, number) {
    return this.change("forget", key, number);
  }

  reduce(key, number) {
    return this.change("reduce", key, number);
  }

  close() {
    this.frame.remove();
  }
}

// What this page itself keeps for frames of an origin that have no storage.
class KeptHere {
  constructor(origin) {
    this.origin = origin;
    this.prefix = `trilha.kept ${origin} `;
    this.records = Object.keys(localStorage).filter((key) => key.startsWith(this.prefix))
      .map((key) => [key.slice(this.prefix.length), localStorage.getItem(key)]);
  }

  async forget(key, number) {
    const record = read(localStorage.getItem(this.prefix + key));
    const items = (record?.items ?? []).filter((each) => each.number !== number);
    if (items.length) localStorage.setItem(this.prefix + key, JSON.stringify({ ...record, items }));
    else localStorage.removeItem(this.prefix + key);
  }

  async reduce() {
    return null;
  }

  close() {}
}

function read(text) {
  try {
    const record = JSON.parse(text);
    return Array.isArray(record?.items) ? record : null;
  } catch {
    return null;
  }
}

customElements.define("held-work", class extends HTMLElement {
  #problems = [];
  #failures = 0;

  async connectedCallback() {
    if (this.closest("course-player") || "waits" in this.dataset) return;
    // What was sent may have opened the module.
    if (await this.flush()) location.reload();
  }

  // Resolves, once the server has answered for all that was held and the learner has read what was not applied, to
  // how many reports were new to it.
  async flush() {
    let taken = 0;
    for (const origin of this.dataset.origins.split(" ").filter(Boolean)) taken += await this.#untilSent(origin);
    this.#say(null);
    if (this.#problems.length) await this.#tell();
    return taken;
  }

  async #untilSent(origin) {
    for (;;) {
      try {
        return await this.#send(new KeptHere(origin)) + await this.#send(await Box.open(origin));
      } catch (error) {
        if (!(error instanceof Unreachable)) throw error;
        await this.#pause(error.wait);
      }
    }
  }

  // The newest launch first: where two did the same at a time, the later one counts.
  async #send(box) {
    let taken = 0;
    try {
      const mine = box.records.map(([key, text]) => [key, read(text)])
        .filter(([, record]) => record && (!record.user || record.user === this.dataset.user))
        .sort((one, other) => other[1].number - one[1].number);
      for (const [key, record] of mine) taken += await this.#sendRecord(box, key, record);
    } finally {
      box.close();
    }
    return taken;
  }

  async #sendRecord(box, key, record) {
    const launch = key.split(".").at(-1);
    let taken = 0;
    for (const item of record.items) {
      const answer = await this.#sendItem(box, key, launch, item);
      // A launch of somebody else, who used this browser before.
      if (answer.status === 404 && !record.user) return taken;
      if (answer.status !== 200) this.#problems.push(this.dataset.lost);
      else if (answer.problem) this.#problems.push(answer.problem);
      if (answer.outcome === "APPLIED") taken += 1;
      await box.forget(key, item.number);
      this.#failures = 0;
    }
    return taken;
  }

  async #sendItem(box, key, launch, item) {
    const query = new URLSearchParams({ launch, kind: item.kind, origin: box.origin, user: this.dataset.user });
    let { body } = item;
    for (let tries = 0; ; tries += 1) {
      const answer = await this.#post(`/learn/held?${query}`, body);
      if (answer.status === 413 && tries < CONFLICTS) {
        const small = await box.reduce(key, item.number);
        if (small) {
          body = small.body;
          continue;
        }
      }
      // Another tab of that launch has used the number.
      if (answer.outcome !== "CONFLICTING" || tries >= CONFLICTS) return answer;
      const said = JSON.parse(body);
      said.launch.sequence += 10;
      body = JSON.stringify(said);
    }
  }

  async #post(address, body) {
    let answer;
    try {
      answer = await fetch(address, {
        method: "POST",
        headers: { "Content-Type": "application/json" },
        body,
        redirect: "manual",
        signal: AbortSignal.timeout(TIMEOUT),
      });
    } catch {
      throw new Unreachable();
    }
    if (answer.type === "opaqueredirect") return this.#signIn();
    if (answer.status === 429) throw new Unreachable(Number(answer.headers.get("retry-after")) * 1000);
    if (answer.status >= 500 || answer.status === 403) throw new Unreachable();
    if (answer.status !== 200) return { status: answer.status };
    try {
      return { ...(await answer.json()), status: 200 };
    } catch {
      throw new Unreachable();
    }
  }

  // The session is over: the page leads to the sign-in, and back here. Nothing goes on before.
  #signIn() {
    location.reload();
    return new Promise(() => {});
  }

  async #pause(wait) {
    this.#say("waiting");
    const pause = wait || PAUSES[Math.min(this.#failures, PAUSES.length - 1)];
    this.#failures += 1;
    await new Promise((done) => {
      setTimeout(done, pause * (0.75 + Math.random() / 2));
      window.addEventListener("online", done, { once: true });
    });
  }

  async #tell() {
    this.#say("unapplied");
    const list = this.querySelector("[data-problems]");
    list.replaceChildren(...[...new Set(this.#problems)].map((each) => {
      const item = document.createElement("li");
      item.textContent = each;
      return item;
    }));
    const button = this.querySelector("button[data-go-on]");
    button?.focus();
    if (button) await new Promise((done) => button.addEventListener("click", done, { once: true }));
    this.#say(null);
  }

  #say(what) {
    const template = what && this.querySelector(`template[data-told="${what}"]`);
    for (const each of this.querySelectorAll(":scope > :not(template)")) each.remove();
    if (template) this.append(template.content.cloneNode(true));
  }
});
