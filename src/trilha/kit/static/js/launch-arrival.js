// Here by a link of the company's portal: the token in the fragment is sent once, and is gone from the address and from
// the history before anything else happens with it.
customElements.define("launch-arrival", class extends HTMLElement {
  connectedCallback() {
    // Another link that is opened on this page changes only the fragment.
    window.addEventListener("hashchange", () => this.open());
    this.open();
  }
  open() {
    const token = new URLSearchParams(location.hash.slice(1)).get("token");
    history.replaceState(null, "", location.pathname);
    const [waiting, refused] = this.querySelectorAll("[data-told]");
    waiting.hidden = !token;
    refused.hidden = Boolean(token);
    if (!token) return;
    const form = this.querySelector("form");
    form.elements.token.value = token;
    form.submit();
  }
});
