// The runtime around the content: made before the content is loaded, for it looks for it at once.
import { onExit } from "../scripts/exit.js";
import { address, launch, start } from "../scripts/launch.js";
import { Runtime } from "./runtime.js";

const { connection, heartbeat, state } = start();
const content = document.getElementById("sco");

// What could not be sent before comes first; then this page is out of date, and is loaded again once.
async function isCurrent() {
  if (history.state?.again || !(await connection.recover())) return true;
  history.replaceState({ again: true }, "");
  location.reload();
  return false;
}

async function open() {
  const runtime = await Runtime.make(launch, connection, state, address);
  runtime.publish(window);
  if (!launch.scorm.sco) runtime.showAsset();
  content.src = content.dataset.src;
  heartbeat.begin();
  document.addEventListener("visibilitychange", () => {
    if (document.visibilityState === "hidden") runtime.save();
  });
  window.addEventListener("pagehide", () => runtime.leave());
  window.addEventListener("pageshow", () => runtime.comeBack());
  onExit(connection, state, async () => {
    // Content that saves itself when it is unloaded does so now, while the runtime is there.
    await unloaded(content);
    runtime.end();
  });
}

function unloaded(frame) {
  return new Promise((done) => {
    frame.addEventListener("load", done, { once: true });
    setTimeout(done, 2000);
    frame.src = "about:blank";
  });
}

if (await isCurrent()) await open();
