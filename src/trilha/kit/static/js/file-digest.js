// Looks a file up by what is in it: only its SHA-256 leaves the browser.
customElements.define("file-digest", class extends HTMLElement {
  connectedCallback() {
    if (!window.crypto?.subtle) return;
    this.hidden = false;
    this.input = this.querySelector("input[type=file]");
    this.status = this.querySelector("[role=status]");
    const zone = this.querySelector(".dropzone");
    for (const type of ["dragenter", "dragover"])
      zone.addEventListener(type, (event) => { event.preventDefault(); zone.dataset.over = ""; });
    for (const type of ["dragleave", "drop"]) zone.addEventListener(type, () => delete zone.dataset.over);
    zone.addEventListener("drop", (event) => {
      event.preventDefault();
      if (event.dataTransfer.files.length) this.look(event.dataTransfer.files[0]);
    });
    this.input.addEventListener("change", () => { if (this.input.files.length) this.look(this.input.files[0]); });
  }
  async look(file) {
    if (file.size > 64e6) { this.status.textContent = this.dataset.large; return; }
    this.status.textContent = this.dataset.reading;
    try {
      const digest = new Uint8Array(await crypto.subtle.digest("SHA-256", await file.arrayBuffer()));
      const words = [...digest].map((each) => each.toString(16).padStart(2, "0")).join("");
      location.assign(`/verify?file=${words}`);
    } catch {
      this.status.textContent = this.dataset.failed;
    }
  }
});
