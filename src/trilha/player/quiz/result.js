// The result of an attempt, from which the next one is begun.
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
  // Refused: another attempt is open elsewhere, or none is left. The page says which.
  if (sent || connection.ended === "refused") return state.reopen();
  button.removeAttribute("aria-busy");
  button.disabled = false;
  failed.hidden = false;
});

// What an earlier page of this attempt could not send.
if (await connection.recover()) state.reopen();
heartbeat.begin();
onExit(connection, state, async () => {});
