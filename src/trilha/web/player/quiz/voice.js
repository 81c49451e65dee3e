// One voice answer: recorded by the browser or chosen as a file, sent at once, and again if that fails.
const TYPES = ["audio/webm;codecs=opus", "audio/webm", "audio/mp4", "audio/ogg;codecs=opus"];
const MAX_BYTES = 20 * 1024 * 1024;
const TIMEOUT = 120_000;
const REFUSED = { NotAllowedError: "blocked", SecurityError: "blocked", NotFoundError: "missing", OverconstrainedError: "missing", NotReadableError: "busy", AbortError: "busy" };

export class Voice {
  #recorder = null;
  #blob = null;
  #timer = null;
  #taken = null;

  constructor(asked, { state, address, seconds, changed, remove, closed }) {
    this.id = asked.dataset.question;
    this.longest = Number(asked.dataset.longest);
    this.box = asked.querySelector("[data-voice]");
    Object.assign(this, { state, address, seconds, changed, remove, closed });
    this.isKept = this.box.dataset.state === "kept";
    this.isRemoved = false;
    this.#on("[data-record]", "click", () => this.record());
    this.#on("[data-stop]", "click", () => this.stop());
    this.#on("[data-retry]", "click", () => this.send());
    this.#on("[data-remove]", "click", () => this.#takeBack());
    this.#on("[data-file]", "change", (event) => {
      const [file] = event.target.files;
      if (file) this.#take(file);
    });
    window.addEventListener("online", () => this.#blob && this.send());
  }

  get isUnsent() {
    return Boolean(this.#recorder || this.#blob);
  }

  async record() {
    if (!navigator.mediaDevices?.getUserMedia || !window.MediaRecorder) return this.#say("unable");
    let stream;
    try {
      stream = await navigator.mediaDevices.getUserMedia({ audio: true });
    } catch (error) {
      return this.#say(REFUSED[error.name] ?? "unable");
    }
    const type = TYPES.find((each) => MediaRecorder.isTypeSupported(each));
    const parts = [];
    const recorder = (this.#recorder = new MediaRecorder(stream, { ...(type && { mimeType: type }), audioBitsPerSecond: 48_000 }));
    this.#taken = new Promise((done) => {
      recorder.addEventListener("dataavailable", (event) => event.data.size && parts.push(event.data));
      recorder.addEventListener("stop", () => {
        for (const track of stream.getTracks()) track.stop();
        this.#recorder = null;
        this.#time(null);
        done(parts.length ? this.#take(new Blob(parts, { type: recorder.mimeType })) : null);
      });
    });
    recorder.start(1000);
    this.state.dirty = true;
    this.#time(Date.now());
    this.#say("recording");
    this.#show();
    this.#find("[data-stop]").focus();
  }

  stop() {
    if (this.#recorder?.state === "recording") this.#recorder.stop();
  }

  // Stops recording and sends the recording.
  async end() {
    this.stop();
    await this.#taken;
  }

  async send() {
    const blob = this.#blob;
    if (!blob || this.sending) return;
    this.sending = true;
    this.#say("sending");
    this.#show();
    let said = "failed";
    try {
      const answer = await fetch(`${this.address(this.id)}?seconds=${this.seconds()}`, {
        method: "PUT",
        headers: { "Content-Type": blob.type || "application/octet-stream" },
        body: blob,
        signal: AbortSignal.timeout(TIMEOUT),
      });
      said = this.#readAnswer(answer.status, await answer.json());
    } catch {
      // Offline or too slow; the learner can send it again.
    }
    this.sending = false;
    if (said !== "failed") {
      this.#blob = null;
      this.state.dirty = false;
    }
    this.#say(said);
    this.#show();
    this.changed();
    if (said === "closed") this.closed();
  }

  #readAnswer(status, answer) {
    if (answer.result === true) {
      this.isKept = true;
      this.isRemoved = false;
      return "kept";
    }
    if (status === 413 || answer.outcome === "RECORDING_TOO_LARGE") return "too_large";
    if (answer.outcome === "UNKNOWN_RECORDING") return "unknown";
    if (["CLOSED", "SUPERSEDED", "EXPIRED"].includes(answer.outcome)) return "closed";
    return "failed";
  }

  #take(blob) {
    if (blob.size > MAX_BYTES) return this.#say("too_large");
    this.#blob = blob;
    this.state.dirty = true;
    const audio = this.#find("audio");
    if (audio.src.startsWith("blob:")) URL.revokeObjectURL(audio.src);
    audio.src = URL.createObjectURL(blob);
    audio.hidden = false;
    return this.send();
  }

  #takeBack() {
    this.#blob = null;
    this.isKept = false;
    this.isRemoved = true;
    const audio = this.#find("audio");
    audio.removeAttribute("src");
    audio.hidden = true;
    this.#find("[data-file]").value = "";
    this.remove();
    this.#say("removed");
    this.#show();
    this.#find("[data-record]").focus();
  }

  #time(begun) {
    clearInterval(this.#timer);
    const shown = this.#find("[role=timer]");
    shown.hidden = !begun;
    if (!begun) return;
    const written = (seconds) => `${Math.floor(seconds / 60)}:${String(Math.floor(seconds % 60)).padStart(2, "0")}`;
    const tell = () => {
      const seconds = (Date.now() - begun) / 1000;
      shown.textContent = `${written(seconds)} / ${written(this.longest)}`;
      if (seconds >= this.longest) this.stop();
    };
    this.#timer = setInterval(tell, 250);
    tell();
  }

  #show() {
    const recording = Boolean(this.#recorder);
    const has = this.isKept || Boolean(this.#blob);
    this.box.dataset.state = recording ? "recording" : this.sending ? "sending" : this.#blob ? "failed" : this.isKept ? "kept" : "none";
    this.#find("[data-record]").hidden = recording;
    this.#find("[data-record]").disabled = Boolean(this.sending);
    this.#find("[data-first]").hidden = has;
    this.#find("[data-again]").hidden = !has;
    this.#find("[data-stop]").hidden = !recording;
    this.#find("[data-retry]").hidden = !this.#blob || recording || this.sending;
    this.#find("[data-remove]").hidden = !has || recording || Boolean(this.sending);
  }

  #say(name) {
    const said = this.box.querySelector("template").content.querySelector(`[data-said="${name}"]`);
    this.#find("[role=status]").textContent = said ? said.textContent : "";
  }

  #find(selector) {
    return this.box.querySelector(selector);
  }

  #on(selector, type, act) {
    this.#find(selector).addEventListener(type, act);
  }
}
