customElements.define("share-link", class extends HTMLElement {
  connectedCallback() {
    const button = this.querySelector("button");
    if (!button || !navigator.share) return;
    button.hidden = false;
    const { title, url } = this.dataset;
    button.addEventListener("click", () => navigator.share({ title, url }).catch(() => {}));
  }
});
