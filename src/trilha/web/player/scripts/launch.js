// The page's data, connection, state and heartbeat. Every page's script begins here.
import { Connection } from "./connection.js";
import { launch } from "./data.js";
import { Heartbeat } from "./heartbeat.js";
import { saveWhenIdle } from "./offline.js";
import { State } from "./state.js";

export { launch };

// Reports go to paths below the page's own, /l/{token}/.
export const address = (kind) => new URL(kind, `${location.origin}${location.pathname}`).href;

export function start() {
  const state = new State(launch);
  const connection = new Connection(launch, address, state);
  const heartbeat = new Heartbeat(address, connection, state);
  saveWhenIdle();
  return { state, connection, heartbeat };
}
