// Creates the SCORM runtime before it loads the content, which looks for the runtime at once.
import { onExit } from "../scripts/exit.js";
import { address, launch, start } from "../scripts/launch.js";
import { Runtime } from "./runtime.js";

const { connection, heartbeat, state } = start();
const content = document.getElementById("sco");

// Sends what an earlier page left unsent. That makes this page out of date, so it is reloaded once.
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
    // Unload the content now, while the runtime is there, because some content saves its state then.
    await unloaded(content);
    runtime.end();
  });
}

function unloaded(frame) {
  return new Promise((done) => {
    frame.addEventListener("load", done, { once: true });
    setTimeout(done, 2000);
    // Replaced, so that the browser's Back button does not come back here.
    frame.contentWindow.location.replace("about:blank");
  });
}

if (await isCurrent()) await open();
