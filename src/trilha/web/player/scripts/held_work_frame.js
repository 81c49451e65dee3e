// Hands the reports in this origin's storage to the outer page, and removes those that it has sent.
import { shorten } from "./shortening.js";

const PREFIX = "trilha.queue.";
const application = window.parent;

function records() {
  try {
    return Object.keys(localStorage).filter((key) => key.startsWith(PREFIX)).map((key) => [key, localStorage.getItem(key)]);
  } catch {
    return []; // A frame without storage keeps its reports in the outer page.
  }
}

// Reads the record anew and changes only this item, because another tab may have written to it.
function change(key, number, to) {
  const record = JSON.parse(localStorage.getItem(key) ?? "{}");
  const items = (record.items ?? []).flatMap((each) => (each.number === number ? to(each) : [each]));
  if (items.length) localStorage.setItem(key, JSON.stringify({ ...record, items }));
  else localStorage.removeItem(key);
}

function reduce(key, number) {
  let found = null;
  change(key, number, (item) => {
    const { launch, ...body } = JSON.parse(item.body);
    const small = shorten(item.kind, { ...body, launch });
    if (!small) return [item];
    found = { ...item, body: JSON.stringify({ ...small.body, launch: { ...launch, left_out: small.leftOut } }) };
    return [found];
  });
  return found;
}

window.addEventListener("message", (event) => {
  const { trilha, key, number } = event.data ?? {};
  if (event.source !== application || typeof key !== "string" || !key.startsWith(PREFIX)) return;
  let item = null;
  try {
    if (trilha === "forget") change(key, number, () => []);
    if (trilha === "reduce") item = reduce(key, number);
  } catch {
    // The record cannot be read or written; the outer page sends the item again.
  }
  application.postMessage({ trilha: "changed", key, number, item }, event.origin);
});
application.postMessage({ trilha: "held", records: records() }, "*");
