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
    // Before the file field, which takes only the first file.
    this.addEventListener("drop", (event) => {
      const files = [...event.dataTransfer.files];
      if (!files.length) return;
      event.preventDefault();
      event.stopPropagation();
      delete this.querySelector("drop-zone").dataset.over;
      this.send(files);
    }, { capture: true });
    this.input.multiple = true;
    this.input.addEventListener("change", () => {
      const files = [...this.input.files];
      if (files.length > 1) this.send(files);
      else if (files.length) this.form.requestSubmit();
    });
    // The menu that adds a text or a quiz would cover the buttons of the new row.
    const menu = document.getElementById("add-module");
    menu?.addEventListener("htmx:beforeRequest", () => menu.hidePopover());
    // The title of a new text or quiz is a proposal, which the first keystroke replaces.
    this.addEventListener("focusin", ({ target }) => {
      if (!target.matches(".outline__title[autofocus]")) return;
      target.removeAttribute("autofocus");
      target.select();
    });
  }
  // A package leads to its report, so it is the last.
  send(files) {
    const isPackage = (file) => /\.zip$/i.test(file.name);
    this.waiting = [...files.filter((file) => !isPackage(file)), ...files.filter(isPackage)];
    this.sendNext();
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
