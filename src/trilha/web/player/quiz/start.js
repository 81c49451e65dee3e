// The page before an attempt with a time limit: its button starts the time.
import { onExit } from "../scripts/exit.js";
import { start } from "../scripts/launch.js";

const { connection, heartbeat, state } = start();
const button = document.querySelector("[data-start]");
const failed = document.querySelector("[data-failed]");

button.addEventListener("click", async () => {
  button.setAttribute("aria-busy", "true");
  button.disabled = true;
  failed.hidden = true;
  connection.push("answers", { start: true }, { replaces: true });
  if ((await connection.drain(15_000)) || connection.ended === "refused") return location.reload();
  button.removeAttribute("aria-busy");
  button.disabled = false;
  failed.hidden = false;
});
// The time has started after all, once the device is online again.
connection.onAnswer = () => location.reload();

await connection.recover();
document.getElementById("quiz").dataset.ready = "";
heartbeat.begin();
onExit(connection, state, async () => {});
