// On along its one link. The page with it is no step of the history: "back" does not lead here to go on again.
customElements.define("go-on", class extends HTMLElement {
  connectedCallback() {
    const link = this.querySelector("a");
    if (link) location.replace(link.href);
  }
});
