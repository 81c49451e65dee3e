customElements.define("bulk-bar", class extends HTMLElement {
  connectedCallback() {
    this.addEventListener("change", (event) => {
      if (event.target.matches("[data-all]"))
        for (const each of this.boxes()) each.checked = event.target.checked;
      const every = this.every();
      if (every && event.target === every) for (const each of this.boxes()) each.checked = true;
      else if (every && !event.target.checked) every.checked = false;
      this.count();
    });
    // Rows that "Show more" adds belong to all that are selected.
    this.addEventListener("htmx:afterSettle", () => {
      if (this.every()?.checked) for (const each of this.boxes()) each.checked = true;
      this.count();
    });
    // Shift selects the rows between this box and the last.
    this.addEventListener("click", (event) => {
      const boxes = this.boxes(), at = boxes.indexOf(event.target);
      if (at < 0) return;
      const [from, to] = [at, event.shiftKey ? this.last ?? at : at].sort((a, b) => a - b);
      for (const each of boxes.slice(from, to + 1)) each.checked = event.target.checked;
      this.last = at;
    });
    this.count();
  }
  every() {
    return this.querySelector(".bulk__all input");
  }
  boxes() {
    return [...this.querySelectorAll("tbody .tick input")];
  }
  count() {
    const boxes = this.boxes();
    const ticked = boxes.filter((each) => each.checked).length;
    const words = this.every()?.checked ? this.dataset.every : ticked === 0 ? this.dataset.none : ticked === 1 ? this.dataset.one : this.dataset.many;
    const number = ticked.toLocaleString(document.documentElement.lang);
    this.querySelector(".bulk__count").textContent = words.replace("{count}", number);
    const all = this.querySelector("[data-all]");
    if (all) {
      all.checked = ticked > 0 && ticked === boxes.length;
      all.indeterminate = ticked > 0 && ticked < boxes.length;
    }
  }
});
