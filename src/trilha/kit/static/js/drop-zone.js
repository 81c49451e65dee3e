customElements.define("drop-zone", class extends HTMLElement {
  connectedCallback() {
    this.input = this.querySelector("input");
    this.file = this.querySelector(".dropzone__file");
    for (const type of ["dragenter", "dragover"])
      this.addEventListener(type, (event) => { event.preventDefault(); this.dataset.over = ""; });
    for (const type of ["dragleave", "drop"]) this.addEventListener(type, () => delete this.dataset.over);
    this.addEventListener("drop", (event) => {
      event.preventDefault();
      if (event.dataTransfer.files.length) { this.input.files = event.dataTransfer.files; this.tell(); }
    });
    this.input.addEventListener("change", () => this.tell());
    this.querySelector("button").addEventListener("click", () => {
      window.htmx?.trigger(this.input.form, "htmx:abort");
      this.input.value = "";
      this.tell();
      this.input.focus();
    });
    this.input.form?.addEventListener("htmx:xhr:progress", (event) => {
      const progress = this.querySelector("progress");
      if (!event.detail.lengthComputable) return;
      progress.hidden = false;
      progress.value = Math.floor((100 * event.detail.loaded) / event.detail.total);
    });
    // A form that stays on the page is ready for the next file, and what an earlier one said is over.
    this.input.form?.addEventListener("htmx:afterRequest", ({ detail }) => {
      this.querySelector("progress").hidden = true;
      if (!detail.successful || detail.xhr.getResponseHeader("HX-Redirect") || !this.input.files.length) return;
      document.querySelector("#flash .alert")?.remove();
      document.getElementById("announce").textContent = `${this.input.files[0].name}: ${this.dataset.sent}`;
      this.input.value = "";
      this.tell();
      this.input.focus();
    });
  }
  tell() {
    const [file] = this.input.files;
    this.file.hidden = !file;
    if (!file) return;
    const [size, unit] = file.size < 1e6 ? [file.size / 1e3, "kB"] : [file.size / 1e6, "MB"];
    const number = size.toLocaleString(document.documentElement.lang, { maximumFractionDigits: 1 });
    this.querySelector(".dropzone__file p").textContent = `${file.name} · ${number} ${unit}`;
  }
});
