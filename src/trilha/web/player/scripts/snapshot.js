// The last report of each kind of a launch, for its page when it is shown from what is saved on this device: such a page
// is as old as the moment when it was saved.
import { launch } from "./data.js";
import { PREFIX } from "./storage.js";

const KEY = `trilha.last.${launch.attempt.id}.${launch.launch.id}`;

export const isSavedPage = Boolean(launch.offline) && new URLSearchParams(location.search).has("saved");

function read() {
  try {
    return JSON.parse(localStorage.getItem(KEY)) ?? {};
  } catch {
    return {};
  }
}

// Called when the server has a report, so that it is stored only once.
export function remember(kind, body) {
  if (!launch.offline) return;
  try {
    localStorage.setItem(KEY, JSON.stringify({ ...read(), [kind]: JSON.parse(body) }));
  } catch {
    // There is no storage, or no room in it.
  }
}

// Returns the body of the last report, or null if the page is not shown from what is saved. It may be not sent yet.
export function recall(kind) {
  if (!isSavedPage) return null;
  try {
    const held = JSON.parse(localStorage.getItem(`${PREFIX}${launch.attempt.id}.${launch.launch.id}`))?.items ?? [];
    const body = held.filter((each) => each.kind === kind).at(-1)?.body;
    if (body) return JSON.parse(body);
  } catch {
    // Only what was sent is there.
  }
  return read()[kind] ?? null;
}
