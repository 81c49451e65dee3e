// A select of many options, typed into (APG: editable combobox with list autocomplete). The select stays, and
// is what the form sends.
customElements.define("combo-box", class extends HTMLElement {
  connectedCallback() {
    if (this.input) return;
    this.select = this.querySelector("select");
    this.asked = 0;
    this.input = this.field();
    this.list = this.listbox();
    this.select.parentElement.hidden = true;
    this.append(this.input, ...this.select.parentElement.querySelectorAll(".icon"), this.list);
    const label = document.querySelector(`label[for="${this.input.id}"]`);
    if (this.select.ariaLabel) for (const each of [this.input, this.list]) each.ariaLabel = this.select.ariaLabel;
    if (label) {
      label.id ||= `${this.input.id}-label`;
      for (const each of [this.list, this.select]) each.setAttribute("aria-labelledby", label.id);
    }
    this.input.addEventListener("input", () => this.search());
    this.input.addEventListener("click", () => this.show());
    this.input.addEventListener("keydown", (event) => this.key(event));
    this.input.addEventListener("blur", () => this.leave());
    // What is typed is no value of the form; the select tells when that changes.
    this.input.addEventListener("change", (event) => event.stopPropagation());
    // Pressing an option must not take the focus from what is typed into.
    this.list.addEventListener("mousedown", (event) => event.preventDefault());
    this.list.addEventListener("click", (event) => this.choose(event.target.closest("li")));
  }
  field() {
    const input = document.createElement("input");
    input.className = "input";
    // Its label, and what is said of a mistake, lead to where it is typed.
    input.id = this.select.id;
    this.select.id = `${input.id}-select`;
    input.autocomplete = "off";
    input.value = this.shown();
    input.placeholder = this.select.options[0]?.value ? "" : (this.select.options[0]?.label ?? "");
    for (const [name, value] of Object.entries({ role: "combobox", "aria-autocomplete": "list", "aria-expanded": "false", "aria-controls": `${input.id}-list` }))
      input.setAttribute(name, value);
    for (const name of ["aria-describedby", "aria-invalid"])
      if (this.select.hasAttribute(name)) input.setAttribute(name, this.select.getAttribute(name));
    return input;
  }
  listbox() {
    const list = document.createElement("ul");
    list.className = "combo__list";
    list.id = `${this.input.id}-list`;
    list.setAttribute("role", "listbox");
    list.hidden = true;
    return list;
  }
  chosen() {
    return [...this.select.selectedOptions].find((each) => each.value);
  }
  shown() {
    return this.chosen()?.label ?? "";
  }
  async search() {
    // What is chosen is no search: all there is can be chosen instead.
    const typed = this.input.value === this.shown() ? "" : this.input.value;
    const number = ++this.asked;
    if (this.dataset.source) {
      const url = new URL(this.dataset.source, location.href);
      url.searchParams.set("q", typed.slice(0, 200));
      const answer = await fetch(url, { headers: { "HX-Request": "true" } }).catch(() => null);
      const found = answer?.ok && new DOMParser().parseFromString(await answer.text(), "text/html");
      // Meanwhile more was typed, something was chosen, or the field was left.
      if (!found || number !== this.asked) return;
      this.fill([...found.querySelectorAll("option")]);
    } else {
      const plain = (text) => text.normalize("NFD").replace(/\p{M}/gu, "").toLowerCase();
      this.fill([...this.select.options].filter((each) => plain(each.label).includes(plain(typed))));
    }
  }
  show() {
    if (this.list.hidden) this.search();
  }
  fill(options) {
    this.input.removeAttribute("aria-activedescendant");
    const shown = options.filter((each) => each.value).slice(0, 100);
    this.list.replaceChildren(...shown.map((each, place) => {
      const item = document.createElement("li");
      item.id = `${this.list.id}-${place}`;
      item.setAttribute("role", "option");
      item.setAttribute("aria-selected", String(each.value === this.select.value));
      item.dataset.value = each.value;
      item.textContent = each.label;
      return item;
    }));
    if (!shown.length) {
      const none = document.createElement("li");
      none.setAttribute("role", "option");
      none.setAttribute("aria-disabled", "true");
      none.textContent = this.dataset.none;
      this.list.append(none);
    }
    this.open(true);
  }
  open(shown) {
    this.list.hidden = !shown;
    this.input.setAttribute("aria-expanded", String(shown));
  }
  close() {
    this.asked++;
    this.open(false);
    this.input.removeAttribute("aria-activedescendant");
  }
  key(event) {
    const items = [...this.list.querySelectorAll("li[data-value]")];
    const at = items.findIndex((each) => each.classList.contains("active"));
    const steps = { ArrowDown: at + 1, ArrowUp: at < 0 ? items.length - 1 : at - 1 };
    if (event.key in steps) {
      event.preventDefault();
      if (this.list.hidden) return this.show();
      this.mark(items, (steps[event.key] + items.length) % items.length);
    } else if (event.key === "Enter" && at >= 0 && !this.list.hidden) {
      event.preventDefault();
      this.choose(items[at]);
    } else if (event.key === "Enter" && this.input.value && this.input.value !== this.shown()) {
      // Not sent before something is chosen: the first Enter shows what the second one takes.
      event.preventDefault();
      if (!this.list.hidden && items.length) this.mark(items, 0);
    } else if (event.key === "Enter") {
      // To take a filter away looks for the rest by itself.
      if (!this.input.value && this.select.value) event.preventDefault();
      this.leave();
    } else if (event.key === "Escape" && !this.list.hidden) {
      event.preventDefault();
      this.close();
    }
  }
  mark(items, at) {
    items.forEach((each, place) => each.classList.toggle("active", place === at));
    if (!items[at]) return;
    this.input.setAttribute("aria-activedescendant", items[at].id);
    items[at].scrollIntoView({ block: "nearest" });
  }
  choose(item) {
    if (!item?.dataset.value) return;
    const known = [...this.select.options].find((each) => each.value === item.dataset.value);
    if (!known) this.select.append(new Option(item.textContent, item.dataset.value));
    this.input.value = item.textContent;
    this.close();
    this.set(item.dataset.value);
  }
  set(value) {
    if (this.select.value === value) return;
    this.select.value = value;
    this.select.dispatchEvent(new Event("change", { bubbles: true }));
  }
  leave() {
    this.close();
    if (!this.input.value) this.set("");
    // What is not one of the options is not sent, so it does not stay there either.
    this.input.value = this.shown();
  }
});
