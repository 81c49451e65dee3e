// A page's part that htmx put into the dialog is shown as one; Cancel closes it instead of leading away.
const dialog = document.getElementById("dialog");
document.addEventListener("htmx:afterSwap", (event) => {
  if (event.detail.target !== dialog) return;
  if (!dialog.open && dialog.childElementCount) dialog.showModal();
  dialog.querySelector("[autofocus], [aria-invalid=true]")?.focus();
});
dialog?.addEventListener("click", (event) => {
  if (event.target === dialog || event.target.closest("[data-close]")) {
    event.preventDefault();
    dialog.close();
  }
});
dialog?.addEventListener("close", () => dialog.replaceChildren());
