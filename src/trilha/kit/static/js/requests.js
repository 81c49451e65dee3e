// What htmx sends and what comes back: the token, polling, failures of the network, where focus goes.
document.addEventListener("htmx:configRequest", (event) => {
  const token = document.querySelector('meta[name="csrf-token"]');
  if (token) event.detail.headers["X-CSRF-Token"] = token.content;
  // What is left empty is no filter: the address of a list is short, and the same for the same list.
  const { verb, formData } = event.detail;
  if (verb === "get") for (const [name, value] of [...formData]) if (value === "") formData.delete(name);
});

const told = (template) => {
  const flash = document.getElementById("flash");
  flash.replaceChildren(document.getElementById(template).content.cloneNode(true));
  open(flash);
};
// A page that is shown from what is saved does not poll.
document.addEventListener("htmx:beforeRequest", (event) => {
  if (!document.documentElement.dataset.savedAt) return;
  event.preventDefault();
  if (event.detail.requestConfig.triggeringEvent?.type === "click") told("offline");
});
document.addEventListener("htmx:sendError", () => told("offline"));
document.addEventListener("htmx:timeout", () => told("offline"));

// Polling stops while nobody looks, and by itself once the part that is asked for is done.
const poll = () => {
  if (document.visibilityState !== "visible" || !window.htmx) return;
  for (const part of document.querySelectorAll("[data-poll]")) htmx.trigger(part, "poll");
};
setInterval(poll, 2000);
document.addEventListener("visibilitychange", poll);

// "Show more" was pressed and is gone: on to the first of the new rows.
document.addEventListener("htmx:beforeRequest", (event) => {
  const row = event.detail.elt.closest?.("#more");
  if (row) row.parentElement.dataset.seen = row.parentElement.children.length - 1;
});
document.addEventListener("htmx:afterSettle", () => {
  for (const body of document.querySelectorAll("[data-seen]")) {
    const first = body.children[Number(body.dataset.seen)];
    delete body.dataset.seen;
    first?.querySelector("a, button, input")?.focus();
  }
});

// What closes by a button has none where nothing would happen.
const open = (within) => {
  for (const each of within.querySelectorAll("button[data-close]")) each.hidden = false;
};
open(document);
document.addEventListener("htmx:afterSwap", (event) => open(event.detail.target ?? document));
document.addEventListener("htmx:oobAfterSwap", (event) => open(event.detail.target ?? document));
document.addEventListener("click", (event) => {
  const button = event.target.closest(".alert [data-close]");
  if (button) button.closest(".alert").remove();
});

// A form that was sent says so, and is not sent twice. Coming back to the page frees it.
document.addEventListener("submit", (event) => {
  const button = event.submitter;
  // What is answered by a file leaves the page as it is.
  if (!button || button.hasAttribute("data-download")) return;
  if (event.target.method === "get" || event.defaultPrevented && !event.target.hasAttribute("data-hx-post")) return;
  if (button.getAttribute("aria-busy") === "true") return event.preventDefault();
  if (button.classList.contains("btn")) button.setAttribute("aria-busy", "true");
});
const free = () => {
  for (const each of document.querySelectorAll('[aria-busy="true"]')) each.removeAttribute("aria-busy");
};
window.addEventListener("pageshow", free);
document.addEventListener("htmx:afterRequest", free);
