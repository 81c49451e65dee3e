// The documents that a regulated course asks for: the field of law says which are usual, until somebody chooses.
customElements.define("kind-documents", class extends HTMLElement {
  connectedCallback() {
    const kind = this.closest("form").elements.kind;
    const document_ = this.querySelector(`input[value="${this.dataset.document}"]`);
    let chosen = kind.value !== "";
    this.addEventListener("change", (event) => { chosen ||= event.target.type === "checkbox" && event.target.name !== "sequential"; });
    kind.addEventListener("change", () => { if (!chosen) document_.checked = kind.value === this.dataset.kind; });
  }
});
