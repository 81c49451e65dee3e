// The result of an attempt, with buttons to start the next one and to go on.
import { onExit } from "../scripts/exit.js";
import { launch, start } from "../scripts/launch.js";

const { connection, heartbeat, state } = start();
const button = document.querySelector("[data-again]");
const failed = document.querySelector("[data-failed]");

button?.addEventListener("click", async () => {
  button.setAttribute("aria-busy", "true");
  button.disabled = true;
  failed.hidden = true;
  connection.push("answers", { again: true }, { replaces: true });
  const sent = await connection.drain(15_000);
  // If it was refused, another attempt is open elsewhere or none is left; the reopened page says which.
  if (sent || connection.ended === "refused") return state.reopen();
  button.removeAttribute("aria-busy");
  button.disabled = false;
  failed.hidden = false;
});

// Sends what an earlier page of this attempt left unsent.
if (await connection.recover()) state.reopen();
heartbeat.begin();
onExit(connection, state, async () => {});
const finish = document.querySelector("[data-finish]");
finish.addEventListener("click", () => state.finish());
finish.disabled = false;
