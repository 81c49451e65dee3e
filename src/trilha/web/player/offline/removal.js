// In place of the worker where an installation has turned off saving: it removes what was saved, and itself.
self.addEventListener("install", () => self.skipWaiting());
self.addEventListener("activate", (event) => event.waitUntil((async () => {
  for (const name of await caches.keys()) if (name.startsWith("trilha.")) await caches.delete(name);
  await self.registration.unregister();
})()));
