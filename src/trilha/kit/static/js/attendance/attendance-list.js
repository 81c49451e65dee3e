// The list of a session. Marks are kept on the device until the server has answered for them, so that a room without a
// connection loses nothing. What others changed meanwhile is told, and the instructor chooses.
const PREFIX = "trilha.marks.";
const POLL = 20_000;
const TIMEOUT = 30_000;
const MAX_MARKS = 500;
const KEEP = 30 * 24 * 3600 * 1000;

customElements.define("attendance-list", class extends HTMLElement {
  connectedCallback() {
    this.key = `${PREFIX}${this.dataset.person}.${this.dataset.session}`;
    this.length = Number(this.dataset.length);
    this.savedAt = Number(document.documentElement.dataset.savedAt);
    this.state = read(this.key) ?? { marks: [], conflicts: {}, refused: {} };
    this.rows = new Map([...this.querySelectorAll("[data-user]")].map((row) => [row.dataset.user, row]));
    this.said = this.querySelector("[data-said]");
    for (const each of this.querySelectorAll("[data-script]")) each.hidden = false;
    for (const each of this.querySelectorAll("[data-plain]")) each.hidden = true;
    this.addEventListener("click", (event) => this.click(event));
    this.addEventListener("change", (event) => this.change(event));
    this.querySelector("form").addEventListener("submit", (event) => { event.preventDefault(); this.leaveField(); });
    this.addEventListener("keydown", (event) => {
      if (event.key !== "Enter" || event.target.tagName !== "INPUT") return;
      event.preventDefault();
      if (event.target.matches("[data-why]")) this.explain(event.target.closest("[data-user]"));
      else event.target.blur();
    });
    document.addEventListener("submit", (event) => this.guardLeaving(event), true);
    window.addEventListener("online", () => this.send());
    window.addEventListener("storage", (event) => {
      if (event.key !== this.key) return;
      this.state = read(this.key) ?? { marks: [], conflicts: {}, refused: {} };
      this.paint();
    });
    setInterval(() => document.visibilityState === "visible" && this.send(true), POLL);
    this.forgetOld();
    this.install();
    this.paint();
    this.send(true);
  }

  async install() {
    if (!("serviceWorker" in navigator) || !this.dataset.worker) return;
    const worker = await navigator.serviceWorker.register(this.dataset.worker, { scope: "/admin/sessions/", updateViaCache: "none" }).catch(() => null);
    if (!worker || this.savedAt) return;
    await until(() => worker.active);
    this.worker = worker.active;
    this.saveHere();
  }

  // The page as it is now, for when there is no connection.
  saveHere() {
    this.worker?.postMessage({ trilha: "save", urls: [location.pathname + location.search] });
  }

  // What the server has, as far as this page knows.
  base(user) {
    const text = this.rows.get(user)?.dataset.minutes;
    return text ? Number(text) : null;
  }

  last(user) {
    return this.state.marks.findLast((each) => each.user_id === user);
  }

  current(user) {
    return this.last(user)?.minutes ?? this.base(user);
  }

  click(event) {
    const button = event.target.closest("button");
    if (!button) return;
    if (button.hasAttribute("data-all")) return this.markAll();
    const row = button.closest("[data-user]");
    if (!row) return;
    const user = row.dataset.user;
    if (button.hasAttribute("data-present")) this.mark(user, this.length);
    if (button.hasAttribute("data-absent")) this.mark(user, 0);
    if (button.hasAttribute("data-explain")) this.explain(row);
    if (button.hasAttribute("data-drop")) this.ask(row, null);
    if (button.hasAttribute("data-theirs")) this.settle(user);
    if (button.hasAttribute("data-mine")) this.insist(user);
    if (button.hasAttribute("data-noted")) this.settle(user);
  }

  change(event) {
    const row = event.target.closest("[data-user]");
    if (!row || event.target.name !== "minutes") return;
    const text = event.target.value.trim();
    if (!/^\d{1,5}$/.test(text) || Number(text) > this.length) {
      event.target.setAttribute("aria-invalid", "true");
      this.tell(row, this.dataset.wrong.replace("{n}", String(this.length)));
      return;
    }
    event.target.removeAttribute("aria-invalid");
    this.tell(row, "");
    this.mark(row.dataset.user, Number(text));
  }

  leaveField() {
    document.activeElement?.blur();
  }

  markAll() {
    for (const user of this.rows.keys()) if (this.current(user) === null) this.queue(user, this.length, null);
    this.keep();
    this.send();
  }

  // A change of what was recorded asks for the reason first.
  mark(user, minutes) {
    const row = this.rows.get(user);
    if (this.current(user) === minutes) return this.ask(row, null);
    const waiting = this.last(user);
    const before = waiting && !waiting.sent ? waiting.before : this.current(user);
    if (before !== null && before !== minutes) return this.ask(row, minutes);
    this.queue(user, minutes, null);
    this.keep();
    this.send();
  }

  ask(row, minutes) {
    const box = row.querySelector("[data-asks]");
    box.hidden = minutes === null;
    row.asked = minutes;
    this.paintRow(row);
    if (minutes !== null) box.querySelector("[data-why]").focus();
  }

  explain(row) {
    const field = row.querySelector("[data-why]");
    const reason = field.value.trim();
    if (!reason) return field.focus();
    field.value = "";
    const minutes = row.asked;
    row.querySelector("[data-asks]").hidden = true;
    row.asked = null;
    const { user } = row.dataset;
    delete this.state.conflicts[user];
    this.queue(user, minutes, reason);
    this.keep();
    this.send();
  }

  // A mark that the server has never seen is replaced. Another one may have been recorded, so that the new mark
  // builds on it.
  queue(user, minutes, reason) {
    const waiting = this.last(user);
    delete this.state.refused[user];
    let before = this.current(user);
    if (waiting && !waiting.sent) {
      before = waiting.before;
      this.state.marks = this.state.marks.filter((each) => each !== waiting);
      if (before === minutes) return;
    }
    this.state.marks.push({ id: makeId(), user_id: user, minutes, before, reason, marked_at: new Date().toISOString() });
  }

  settle(user) {
    delete this.state.conflicts[user];
    delete this.state.refused[user];
    this.keep();
  }

  insist(user) {
    const { mine } = this.state.conflicts[user];
    this.ask(this.rows.get(user), mine);
  }

  keep() {
    const { marks, conflicts, refused } = this.state;
    const isEmpty = !marks.length && !Object.keys(conflicts).length && !Object.keys(refused).length;
    try {
      if (isEmpty) localStorage.removeItem(this.key);
      else localStorage.setItem(this.key, JSON.stringify({ ...this.state, at: Date.now() }));
    } catch {
      this.status("full");
    }
    this.paint();
  }

  // One request at a time. Without marks, `looks` asks for what others changed.
  async send(looks = false) {
    if (this.busy) {
      this.again = true;
      return;
    }
    if (!this.state.marks.length && !looks) return;
    this.busy = true;
    this.again = false;
    const marks = this.state.marks.slice(0, MAX_MARKS);
    for (const each of marks) each.sent = true;
    if (marks.length) this.keep();
    let isRefused = false;
    try {
      const answer = await this.post(marks);
      if (answer) this.take(marks, answer);
      else isRefused = true;
    } catch {
      this.isAway = true;
      this.paint();
    }
    this.busy = false;
    // What the server refused is sent again with the next poll.
    if (this.again || (!this.isAway && !isRefused && this.state.marks.length)) setTimeout(() => this.send(), 500);
  }

  async post(marks, isSecond = false) {
    const token = document.querySelector('meta[name="csrf-token"]');
    const answer = await fetch(`${this.dataset.path}/marks?page=${this.dataset.page}`, {
      method: "POST",
      headers: { "Content-Type": "application/json", "X-CSRF-Token": token.content },
      body: JSON.stringify({ marks: marks.map(({ sent, ...mark }) => mark) }),
      redirect: "manual",
      signal: AbortSignal.timeout(TIMEOUT),
    });
    this.isAway = false;
    this.isOut = answer.type === "opaqueredirect" || answer.status === 401;
    if (answer.status === 403 && !isSecond && (await this.renewToken(token))) return this.post(marks, true);
    if (answer.status >= 500 || answer.status === 429) throw new Error("later");
    if (!answer.ok) {
      this.problem = this.isOut ? "" : answer.status;
      this.paint();
      return null;
    }
    this.problem = "";
    return answer.json();
  }

  // The page may be from before the session was renewed.
  async renewToken(token) {
    const answer = await fetch(location.href, { redirect: "manual", cache: "no-store", headers: { "x-trilha-fresh": "1" } }).catch(() => null);
    if (!answer?.ok) return false;
    const found = new DOMParser().parseFromString(await answer.text(), "text/html").querySelector('meta[name="csrf-token"]');
    if (!found) return false;
    token.content = found.content;
    return true;
  }

  take(marks, { results, people }) {
    const byId = new Map(results.map((each) => [each.id, each]));
    for (const mark of marks) {
      const result = byId.get(mark.id);
      if (!result) continue;
      this.state.marks = this.state.marks.filter((each) => each.id !== mark.id);
      const user = mark.user_id;
      if (result.outcome === "CONFLICT") this.state.conflicts[user] = { mine: mark.minutes };
      if (result.outcome === "REFUSED") this.state.refused[user] = { mine: mark.minutes, code: result.code };
      if (result.outcome === "RECORDED" || result.outcome === "UNCHANGED") delete this.state.conflicts[user];
    }
    let isChanged = marks.length > 0;
    for (const person of people) {
      const row = this.rows.get(person.user_id);
      const minutes = person.minutes === null ? "" : String(person.minutes);
      if (!row || (row.dataset.minutes === minutes && row.dataset.by === person.recorded_by)) continue;
      Object.assign(row.dataset, { minutes, by: person.recorded_by, at: person.recorded_at ?? "", method: person.method ?? "" });
      isChanged = true;
    }
    this.keep();
    if (isChanged) this.saveHere();
    // The page is one from the device: with a connection, it shows everything again.
    if (this.savedAt && !this.state.marks.length && navigator.onLine) location.reload();
  }

  paint() {
    let present = 0;
    for (const [user, row] of this.rows) {
      if (this.current(user) > 0) present += 1;
      this.paintRow(row);
    }
    const more = Number(this.dataset.places) - this.rows.size;
    const counted = this.querySelector("[data-count]");
    if (counted && more <= 0) counted.textContent = this.dataset.count.replace("{n}", present).replace("{of}", this.rows.size);
    this.status();
  }

  paintRow(row) {
    const { user } = row.dataset;
    const minutes = row.asked ?? this.current(user);
    const waits = Boolean(this.last(user));
    const field = row.querySelector("[name=minutes]");
    if (document.activeElement !== field && field.getAttribute("aria-invalid") !== "true") field.value = minutes ?? "";
    row.querySelector("[data-present]").setAttribute("aria-pressed", String(minutes !== null && minutes >= this.length));
    row.querySelector("[data-absent]").setAttribute("aria-pressed", String(minutes === 0));
    const note = row.querySelector("[data-note]");
    const { by, at, method } = row.dataset;
    const names = { LIST: this.dataset.list, QR: this.dataset.qr, SIGNATURE: this.dataset.signature };
    const parts = [names[method], by, at].filter(Boolean);
    note.textContent = waits ? this.dataset.waits : row.dataset.minutes ? parts.join(" · ") : "";
    row.toggleAttribute("data-waiting", waits);
    this.paintProblem(row, user);
  }

  paintProblem(row, user) {
    const box = row.querySelector("[data-conflict]");
    const conflict = this.state.conflicts[user];
    const refused = this.state.refused[user];
    box.hidden = !conflict && !refused;
    if (box.hidden) return;
    const theirs = this.base(user);
    const { by, at } = row.dataset;
    const text = conflict
      ? this.dataset.conflict.replace("{name}", by || this.dataset.somebody).replace("{theirs}", theirs ?? 0).replace("{at}", at ?? "").replace("{mine}", conflict.mine)
      : ({ not_registered: this.dataset.unregistered, own_attendance: this.dataset.own }[refused.code] ?? this.dataset.refused).replace("{mine}", refused.mine);
    box.querySelector("[data-text]").textContent = text;
    const [keep, use, noted] = ["[data-theirs]", "[data-mine]", "[data-noted]"].map((each) => box.querySelector(each));
    keep.hidden = use.hidden = !conflict;
    noted.hidden = Boolean(conflict);
    if (!conflict) return;
    keep.textContent = this.dataset.keep.replace("{n}", theirs ?? 0);
    use.textContent = this.dataset.use.replace("{n}", conflict.mine);
  }

  tell(row, text) {
    const box = row.querySelector("[data-problem]");
    box.textContent = text;
    box.hidden = !text;
  }

  status(what = "") {
    const count = this.state.marks.length;
    const conflicts = Object.keys(this.state.conflicts).length;
    const name = what || this.nameStatus(count, conflicts);
    const text = this.dataset[`said${name[0].toUpperCase()}${name.slice(1)}`].replace("{n}", name === "conflicts" ? conflicts : count);
    const words = this.said.querySelector("[data-words]");
    this.said.dataset.state = name;
    if (words.textContent !== text) words.textContent = text;
    this.said.querySelector("a").hidden = name !== "out";
  }

  nameStatus(count, conflicts) {
    if (this.isOut) return "out";
    if (this.problem) return "closed";
    const isAway = this.isAway || !navigator.onLine;
    if (count) return isAway ? "offline" : "sending";
    if (conflicts) return "conflicts";
    return isAway ? "away" : "saved";
  }

  guardLeaving(event) {
    if (new URL(event.target.action, location.href).pathname !== "/logout") return;
    if (this.state.marks.length && !window.confirm(this.dataset.leaving.replace("{n}", this.state.marks.length))) {
      event.preventDefault();
      event.stopImmediatePropagation();
    }
  }

  // What was never sent, of sessions long ago and of whoever used this device.
  forgetOld() {
    for (const key of Object.keys(localStorage)) {
      if (key.startsWith(PREFIX) && Date.now() - (read(key)?.at ?? 0) > KEEP) localStorage.removeItem(key);
    }
  }
});

function read(key) {
  try {
    const state = JSON.parse(localStorage.getItem(key));
    return Array.isArray(state?.marks) ? { conflicts: {}, refused: {}, ...state } : null;
  } catch {
    return null;
  }
}

function makeId() {
  // Rooms may be served without TLS, where randomUUID is missing.
  if (crypto.randomUUID) return crypto.randomUUID();
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  bytes[6] = (bytes[6] & 15) | 64;
  bytes[8] = (bytes[8] & 63) | 128;
  const text = [...bytes].map((each) => each.toString(16).padStart(2, "0")).join("");
  return text.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, "$1-$2-$3-$4-$5");
}

async function until(test) {
  while (!test()) await new Promise((done) => setTimeout(done, 100));
}
