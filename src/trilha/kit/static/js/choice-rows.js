// Rows of choices: without scripts a button asks the server for more, and empty rows are left out.
customElements.define("choice-rows", class extends HTMLElement {
  connectedCallback() {
    this.list = this.querySelector(".choicerows");
    this.adding = this.querySelector("[data-add]");
    this.adding.addEventListener("click", (event) => { event.preventDefault(); this.add(); });
    this.addEventListener("click", (event) => {
      const button = event.target.closest("button[data-remove]");
      if (button) this.remove_(button.closest("[data-row]"));
    });
    this.addEventListener("keydown", (event) => {
      if (event.key !== "Enter" || event.target.name !== "choice_text") return;
      event.preventDefault();
      const next = event.target.closest("[data-row]").nextElementSibling;
      if (next) next.querySelector("[name=choice_text]").focus(); else this.add();
    });
    this.number();
  }
  get rows() { return [...this.list.querySelectorAll("[data-row]")]; }
  add() {
    if (this.rows.length >= Number(this.dataset.most)) return;
    const row = this.rows.at(-1).cloneNode(true);
    row.querySelector(".field__error")?.remove();
    for (const input of row.querySelectorAll("input")) {
      if (input.name === "right") input.checked = false; else input.value = "";
      input.removeAttribute("aria-invalid");
      input.removeAttribute("aria-describedby");
    }
    this.list.append(row);
    this.number();
    row.querySelector("[name=choice_text]").focus();
  }
  remove_(row) {
    const next = row.nextElementSibling ?? row.previousElementSibling;
    row.remove();
    this.number();
    next.querySelector("[name=choice_text]").focus();
  }
  number() {
    const rows = this.rows;
    rows.forEach((row, n) => {
      const [tick, text, button] = ["[name=right]", "[name=choice_text]", "button[data-remove]"].map((each) => row.querySelector(each));
      const say = (words) => words.replace("{n}", String(n + 1));
      tick.value = String(n);
      tick.setAttribute("aria-label", say(this.dataset.right));
      text.id = `choice-${n}`;
      text.setAttribute("aria-label", say(this.dataset.label));
      button.setAttribute("aria-label", say(this.dataset.remove));
      button.hidden = rows.length <= 2;
    });
    this.adding.hidden = rows.length >= Number(this.dataset.most);
  }
});
