// Buttons move an item by a form of its own; here they, and dragging, do it in place and say where it is now.
customElements.define("reorder-list", class extends HTMLElement {
  connectedCallback() {
    this.addEventListener("dragstart", (event) => { this.dragged = event.target.closest("li"); });
    this.addEventListener("dragover", (event) => {
      const over = event.target.closest("li");
      if (!this.dragged || !over || over === this.dragged) return;
      event.preventDefault();
      const below = event.clientY > over.getBoundingClientRect().top + over.offsetHeight / 2;
      over[below ? "after" : "before"](this.dragged);
    });
    this.addEventListener("dragend", () => {
      const item = this.dragged;
      this.dragged = null;
      const place = [...this.querySelectorAll("li")].indexOf(item);
      const form = item.querySelector("form[data-move]");
      if (!form) return;
      form.querySelector("[name=position]").value = String(place + 1);
      form.requestSubmit();
    });
  }
});
