// The search over the page, opened by Ctrl+K or ⌘K, or by a click on the search of the menu. The server finds and
// renders; here are the keys (APG: a combobox with a listbox, whose focus stays in the text).
const palette = document.getElementById("palette");
const form = palette.querySelector("form"), input = form.querySelector("input");
const list = () => document.getElementById("palette-list");
const options = () => [...list().querySelectorAll("[role=option]")];
const active = () => list().querySelector("[aria-selected=true]");

const open = () => {
  if (palette.open || document.querySelector("dialog[open]")) return;
  palette.showModal();
  input.select();
  htmx.trigger(form, "open");
};
const mark = (option) => {
  for (const each of options()) each.setAttribute("aria-selected", String(each === option));
  if (!option) return input.removeAttribute("aria-activedescendant");
  input.setAttribute("aria-activedescendant", option.id);
  option.scrollIntoView({ block: "nearest" });
};

document.addEventListener("keydown", (event) => {
  if (event.key.toLowerCase() !== "k" || !(event.ctrlKey || event.metaKey) || event.shiftKey || event.altKey) return;
  event.preventDefault();
  if (palette.open) palette.close(); else open();
});
document.addEventListener("click", (event) => {
  if (!event.target.closest("[data-palette], #finder")) return;
  event.preventDefault();
  open();
});
for (const keys of document.querySelectorAll(".finder__keys")) {
  keys.textContent = /Mac|iPhone|iPad/.test(navigator.platform) ? "⌘K" : "Ctrl K";
  keys.ariaHidden = "true";
  keys.hidden = false;
}

palette.addEventListener("click", (event) => {
  if (event.target === palette || event.target.closest("[data-close]")) palette.close();
});
// What is typed may be a person's document, so it is sent in a body and never becomes an address.
form.addEventListener("submit", (event) => {
  event.preventDefault();
  active()?.click();
});
input.addEventListener("keydown", (event) => {
  const found = options(), at = found.indexOf(active());
  const next = { ArrowDown: at + 1, ArrowUp: at < 0 ? found.length - 1 : at - 1 }[event.key];
  if (next === undefined) return;
  event.preventDefault();
  if (found.length) mark(found[(next + found.length) % found.length]);
});
// The first result is for the words that were typed before it: until the answer, Enter opens nothing.
input.addEventListener("input", () => mark(null));
document.addEventListener("htmx:afterSwap", (event) => {
  if (event.detail.target?.id !== "palette-results") return;
  const found = options();
  input.setAttribute("aria-expanded", String(found.length > 0));
  mark(found[0]);
  document.getElementById("palette-status").textContent = list().dataset.count ?? "";
});
