// Saves the module on this device when it is opened, so that it opens without a connection.
import { isSupported, list, register, save } from "../offline/store.js";
import { launch } from "./data.js";
import { isSavedPage } from "./snapshot.js";

// What the page loads itself comes first.
const PAUSE = 1500;

async function saveModule() {
  const { user: person, offline } = launch;
  const module = launch.module.id;
  const kept = Boolean((await list(person))[module]?.kept);
  if (!offline.automatic && !kept) return;
  await register(offline.worker);
  await save({ person, module, address: location.href, offline, kept });
}

export function saveWhenIdle() {
  if (!launch.offline || !isSupported || isSavedPage || window.parent === window) return;
  // Without room or a connection, the module opens online only, as in browsers without service workers.
  setTimeout(() => saveModule().catch(() => {}), PAUSE);
}
