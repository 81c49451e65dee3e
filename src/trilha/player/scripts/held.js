// Hands what this origin's storage holds to the page around, and forgets what that page has sent.
import { reduced } from "./reducing.js";

const PREFIX = "trilha.queue.";
const application = window.parent;

function records() {
  try {
    return Object.keys(localStorage).filter((key) => key.startsWith(PREFIX)).map((key) => [key, localStorage.getItem(key)]);
  } catch {
    return []; // Without storage of its own a frame's work is held by the page around.
  }
}

// Another tab may have written meanwhile: the record is read anew, and only this item changes.
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
    const small = reduced(item.kind, { ...body, launch });
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
    // What cannot be read is sent again, and answered as before.
  }
  application.postMessage({ trilha: "changed", key, number, item }, event.origin);
});
application.postMessage({ trilha: "held", records: records() }, "*");
