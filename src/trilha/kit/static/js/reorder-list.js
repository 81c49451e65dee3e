// Buttons move an item by a form of its own; dragging its grip, with mouse, pen or finger, does the same.
// While it is dragged the others make way, so that the element under the pointer never leaves the document.
let pressed = "";
customElements.define("reorder-list", class extends HTMLElement {
  connectedCallback() {
    this.addEventListener("pointerdown", (event) => this.begin(event));
    this.addEventListener("click", (event) => {
      const button = event.target.closest("button[name=move]");
      if (button) pressed = button.id;
    });
    this.keepFocus();
  }
  get items() { return [...this.querySelectorAll("li")]; }
  begin(event) {
    const item = event.target.closest(".reorder__grip")?.closest("li");
    if (!item || event.button) return;
    event.preventDefault();
    const from = this.items.indexOf(item);
    const dragging = new AbortController();
    const { signal } = dragging;
    item.dataset.dragged = "";
    document.addEventListener("pointermove", (moved) => this.drag(item, moved), { signal });
    for (const type of ["pointerup", "pointercancel", "keydown"])
      document.addEventListener(type, (ended) => {
        if (type === "keydown" && ended.key !== "Escape") return;
        dragging.abort();
        delete item.dataset.dragged;
        const place = this.items.indexOf(item);
        if (type === "pointerup") { if (place !== from) this.send(item, place); }
        else this.putBack(item, from);
      }, { signal });
  }
  drag(item, event) {
    const { clientY } = event;
    if (clientY < 48) scrollBy(0, -16);
    if (clientY > innerHeight - 48) scrollBy(0, 16);
    const before = item.previousElementSibling, after = item.nextElementSibling;
    const middle = (each) => each.getBoundingClientRect().top + each.offsetHeight / 2;
    if (before && clientY < middle(before)) item.after(before);
    else if (after && clientY > middle(after)) item.before(after);
  }
  putBack(item, from) {
    const others = this.items.filter((each) => each !== item);
    if (others[from]) others[from].before(item); else others.at(-1)?.after(item);
  }
  send(item, place) {
    const form = item.querySelector("form[data-move]");
    if (!form) return;
    form.querySelector("[name=position]").value = String(place + 1);
    form.requestSubmit();
  }
  // The button that was pressed is another element after the answer, and may have come to an end of the list.
  keepFocus() {
    const button = pressed && document.getElementById(pressed);
    if (!button || !this.contains(button)) return;
    pressed = "";
    (button.disabled ? button.closest("form").querySelector("button:enabled") : button)?.focus();
  }
});
