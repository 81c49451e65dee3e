// A form that is sent with the answer of a passkey: a new one, one that signs in, or one that signs a document.
// `data-options` is where its challenge comes from; the form's own fields are sent there too.
const decode = (text) => Uint8Array.from(atob(text.replace(/-/g, "+").replace(/_/g, "/")), (each) => each.charCodeAt(0));
const encode = (buffer) =>
  btoa(String.fromCharCode(...new Uint8Array(buffer))).replace(/\+/g, "-").replace(/\//g, "_").replace(/=+$/, "");
const decodeIds = (list) => (list ?? []).map((each) => ({ ...each, id: decode(each.id) }));

const readOptions = (options) => ({
  ...options,
  challenge: decode(options.challenge),
  ...(options.user && { user: { ...options.user, id: decode(options.user.id) } }),
  ...(options.excludeCredentials && { excludeCredentials: decodeIds(options.excludeCredentials) }),
  ...(options.allowCredentials && { allowCredentials: decodeIds(options.allowCredentials) }),
});

const writeAnswer = ({ id, rawId, type, response, authenticatorAttachment }) => {
  const members = {};
  for (const name of ["clientDataJSON", "attestationObject", "authenticatorData", "signature", "userHandle"]) {
    if (response[name]) members[name] = encode(response[name]);
  }
  if (response.getTransports) members.transports = response.getTransports();
  return JSON.stringify({ id, rawId: encode(rawId), type, response: members, authenticatorAttachment });
};

customElements.define("passkey-form", class extends HTMLElement {
  connectedCallback() {
    this.form = this.querySelector("form");
    if (!("PublicKeyCredential" in window)) return this.tell("unsupported");
    for (const part of this.querySelectorAll("[data-supported]")) part.hidden = false;
    this.form.addEventListener("submit", (event) => {
      if (this.form.elements.credential.value) return;
      event.preventDefault();
      this.use().catch((error) => this.refuse(error));
    });
    if ("autofill" in this.dataset) this.offer();
  }
  disconnectedCallback() {
    this.waiting?.abort();
    clearTimeout(this.timer);
  }
  async use() {
    this.waiting?.abort();
    const publicKey = await this.load();
    const isNew = "user" in publicKey;
    this.send(isNew ? await navigator.credentials.create({ publicKey }) : await navigator.credentials.get({ publicKey }));
  }
  // The browser offers passkeys among the suggestions of the e-mail field. A challenge is good for ten minutes.
  async offer() {
    if (!(await window.PublicKeyCredential.isConditionalMediationAvailable?.())) return;
    try {
      const publicKey = await this.load();
      this.waiting = new AbortController();
      this.timer = setTimeout(() => {
        this.waiting.abort();
        this.offer();
      }, 480_000);
      this.send(await navigator.credentials.get({ publicKey, mediation: "conditional", signal: this.waiting.signal }));
    } catch {
      // Nobody has pressed anything: the page stays as it is.
    }
  }
  async load() {
    const fields = new URLSearchParams(new FormData(this.form));
    fields.delete("credential");
    const answer = await fetch(this.dataset.options, { method: "POST", body: fields });
    if (!answer.ok) throw new Error("refused");
    return readOptions(await answer.json());
  }
  send(credential) {
    clearTimeout(this.timer);
    this.form.elements.credential.value = writeAnswer(credential);
    this.form.submit();
  }
  refuse(error) {
    for (const button of this.querySelectorAll('[aria-busy="true"]')) button.removeAttribute("aria-busy");
    this.tell(error.name === "InvalidStateError" ? "known" : error.name === "NotAllowedError" ? "cancelled" : "failed");
  }
  tell(name) {
    for (const part of this.querySelectorAll("[data-tell]")) part.hidden = part.dataset.tell !== name;
  }
});
