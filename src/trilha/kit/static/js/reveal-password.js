customElements.define("reveal-password", class extends HTMLElement {
  connectedCallback() {
    const input = this.querySelector("input");
    const button = this.querySelector("button");
    const show = (shown) => {
      input.type = shown ? "text" : "password";
      button.setAttribute("aria-pressed", String(shown));
      button.setAttribute("aria-label", shown ? this.dataset.hide : this.dataset.show);
    };
    button.hidden = false;
    show(false);
    button.addEventListener("click", () => show(input.type === "password"));
    // Browsers offer to keep what was in a password field alone.
    input.form?.addEventListener("submit", () => show(false));
  }
});
