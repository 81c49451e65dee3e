// The documents that a regulated course asks for: the field of law says which are usual, until somebody chooses.
// `data-usual` has them as "traffic:cpf,cnh other:".
customElements.define("kind-documents", class extends HTMLElement {
  connectedCallback() {
    const kind = this.closest("form").elements.kind;
    const usual = Object.fromEntries(this.dataset.usual.split(" ").map((each) => each.split(":")));
    let chosen = kind.value !== "";
    this.addEventListener("change", (event) => { chosen ||= event.target.name === "required_profile_fields"; });
    kind.addEventListener("change", () => {
      if (chosen) return;
      const documents = (usual[kind.value] ?? "").split(",");
      for (const box of this.querySelectorAll("[name=required_profile_fields]")) box.checked = documents.includes(box.value);
    });
  }
});
