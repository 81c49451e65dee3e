import { onExit } from "./exit.js";
import { start } from "./launch.js";

const { connection, heartbeat, state } = start();
heartbeat.begin();
onExit(connection, state, () => {});
