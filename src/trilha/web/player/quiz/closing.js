// The time is over: sends what this device still has, and submits what was saved.
import { onExit } from "../scripts/exit.js";
import { start } from "../scripts/launch.js";

// Outcomes after which the page shows something else. A superseded page stays as it is.
const SETTLED = ["APPLIED", "REPEATED", "STALE", "CLOSED"];
const { connection, heartbeat, state } = start();

connection.onAnswer = (kind, answer) => {
  if (kind === "answers" && SETTLED.includes(answer.outcome)) location.reload();
};
heartbeat.begin();
onExit(connection, state, async () => {});
await connection.recover();
if (!connection.ended) {
  connection.push("answers", { hand_in: true });
  const sent = await connection.drain(15_000);
  document.querySelector("[data-failed]").hidden = sent || Boolean(connection.ended);
}
