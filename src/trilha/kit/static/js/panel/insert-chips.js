// Buttons that insert a text where the person was writing last, within the form around them.
for (const chips of document.querySelectorAll("[data-chips]")) {
  const fields = [...chips.closest(".card").querySelectorAll("input[type=text], input:not([type]), textarea")];
  if (!fields.length) continue;
  let field = fields.find((each) => each.matches("textarea")) ?? fields[0];
  for (const each of fields) each.addEventListener("focus", () => { field = each; });
  chips.addEventListener("click", (event) => {
    const text = event.target.closest("[data-insert]")?.dataset.insert;
    if (!text) return;
    field.focus();
    field.setRangeText(text, field.selectionStart ?? field.value.length, field.selectionEnd ?? field.value.length, "end");
    field.dispatchEvent(new Event("input", { bubbles: true }));
  });
  chips.hidden = false;
}
