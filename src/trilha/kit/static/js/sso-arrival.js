// Back from a company's provider: the ticket in the fragment is changed for a session, and is gone from the
// address and from the history before anything else is loaded with it.
customElements.define("sso-arrival", class extends HTMLElement {
  connectedCallback() {
    const told = new URLSearchParams(location.hash.slice(1));
    history.replaceState(null, "", location.pathname);
    this.exchange(told.get("ticket")).then(
      () => location.replace(`/login?next=${encodeURIComponent(told.get("return_to") ?? "")}`),
      (error) => this.refuse(error.reference),
    );
  }
  async exchange(ticket) {
    if (!ticket) throw new Error("no ticket");
    const answer = await fetch("/api/sso/exchange", {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ ticket }),
      referrerPolicy: "no-referrer",
    });
    if (!answer.ok) throw Object.assign(new Error("refused"), { reference: answer.headers.get("x-request-id") });
  }
  refuse(reference) {
    const [waiting, refused] = this.children;
    waiting.hidden = true;
    refused.hidden = false;
    if (!reference) return;
    const code = refused.querySelector("code");
    code.textContent = reference;
    code.parentElement.hidden = false;
  }
});
