// Opens cmi5 content, in a frame or in a window of its own. Each opening is a session, whose address the server makes.
import { onExit } from "../scripts/exit.js";
import { address, start } from "../scripts/launch.js";

const { connection, heartbeat, state } = start();
const frame = document.getElementById("content");
const button = document.getElementById("open");

async function openSession() {
  const answer = await fetch(address("session"), {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: "{}",
  });
  if (!answer.ok) throw new Error(String(answer.status));
  return answer.json();
}

function fail() {
  document.getElementById("broken").hidden = false;
}

// Content that has ended goes to a page of ours. Content on other servers cannot be read while it runs.
function hasReturned(view) {
  try {
    return view.location.pathname.endsWith("/returned") && view.location.origin === location.origin;
  } catch {
    return false;
  }
}

async function finish() {
  await heartbeat.beat();
  state.finish();
}

if (frame) {
  frame.addEventListener("load", () => {
    if (hasReturned(frame.contentWindow)) finish();
  });
  openSession().then((opened) => { frame.src = opened.address; }, fail);
} else {
  button.addEventListener("click", async () => {
    // Opened at once, because browsers block windows that open later.
    const view = window.open("", "_blank");
    try {
      view.location.replace((await openSession()).address);
      const timer = setInterval(() => {
        if (!view.closed && !hasReturned(view)) return;
        clearInterval(timer);
        finish();
      }, 1000);
    } catch {
      view?.close();
      fail();
    }
  });
  button.disabled = false;
}
heartbeat.begin();
onExit(connection, state, () => {
  if (!frame) return undefined;
  return new Promise((done) => {
    // Content sends its last statement when it is unloaded.
    frame.addEventListener("load", done, { once: true });
    setTimeout(done, 2000);
    frame.contentWindow.location.replace("about:blank");
  });
});
