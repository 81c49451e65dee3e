// The outline of a course: Escape restores a field, and files that are dropped on it become modules, one by one.
customElements.define("course-outline", class extends HTMLElement {
  connectedCallback() {
    this.form = this.querySelector("#file-form");
    this.input = this.form.querySelector("input[type=file]");
    this.waiting = [];
    this.addEventListener("keydown", (event) => {
      const field = event.target;
      if (event.key !== "Escape" || !field.form?.matches(".outline") || field.type === "checkbox") return;
      field.value = field.defaultValue;
      field.select();
    });
    // A field that was saved is restored to what was saved.
    this.addEventListener("htmx:afterRequest", (event) => {
      const form = event.target;
      if (event.detail.successful && form.matches?.(".outline"))
        for (const field of form.querySelectorAll("input:not([type=hidden], [type=checkbox])")) field.defaultValue = field.value;
      if (form === this.form) this.sendNext();
    });
    for (const type of ["dragenter", "dragover"])
      this.addEventListener(type, (event) => {
        if (!event.dataTransfer.types.includes("Files")) return;
        event.preventDefault();
        this.dataset.over = "";
      });
    for (const type of ["dragleave", "drop"]) this.addEventListener(type, () => delete this.dataset.over);
    // Before the file field, which takes only the first file. A package leads to its report, so it is the last.
    this.addEventListener("drop", (event) => {
      const files = [...event.dataTransfer.files];
      if (!files.length) return;
      event.preventDefault();
      event.stopPropagation();
      delete this.querySelector("drop-zone").dataset.over;
      const isPackage = (file) => /\.zip$/i.test(file.name);
      this.waiting = [...files.filter((file) => !isPackage(file)), ...files.filter(isPackage)];
      this.sendNext();
    }, { capture: true });
    this.input.addEventListener("change", () => { if (this.input.files.length) this.form.requestSubmit(); });
  }
  sendNext() {
    const file = this.waiting.shift();
    if (!file) return;
    const transfer = new DataTransfer();
    transfer.items.add(file);
    this.input.files = transfer.files;
    this.input.dispatchEvent(new Event("change"));
  }
});
