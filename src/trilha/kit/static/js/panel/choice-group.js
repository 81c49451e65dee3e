// A checkbox for a whole group of checkboxes follows them, and they follow it. Without scripts the server adds the
// group's choices.
const others = (group) => [...group.closest("fieldset").querySelectorAll("input[type=checkbox]")].filter((each) => each !== group);
const follow = (group) => {
  const chosen = others(group).filter((each) => each.checked).length;
  group.checked = chosen === others(group).length;
  group.indeterminate = chosen > 0 && !group.checked;
};
for (const group of document.querySelectorAll("input[data-group]")) {
  if (group.checked) for (const each of others(group)) each.checked = true;
  follow(group);
}
document.addEventListener("change", (event) => {
  const group = event.target.closest("fieldset")?.querySelector(":scope > label > input[data-group]");
  if (!group) return;
  if (event.target === group) for (const each of others(group)) each.checked = group.checked;
  follow(group);
});
