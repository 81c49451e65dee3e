customElements.define("copy-text", class extends HTMLElement {
  connectedCallback() {
    const button = this.querySelector("button");
    if (!button || !navigator.clipboard) return;
    button.hidden = false;
    const words = button.querySelector("span");
    const before = words.textContent;
    button.addEventListener("click", async () => {
      const source = this.querySelector("input, pre");
      await navigator.clipboard.writeText(source.value ?? source.textContent);
      words.textContent = this.dataset.done;
      document.getElementById("announce").textContent = this.dataset.done;
      setTimeout(() => { words.textContent = before; document.getElementById("announce").textContent = ""; }, 3000);
    });
  }
});
