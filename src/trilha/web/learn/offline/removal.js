// In place of the worker where an installation has turned off saving: it removes what was saved. It stays for push
// messages.
self.addEventListener("install", () => self.skipWaiting());
self.addEventListener("activate", (event) => event.waitUntil((async () => {
  for (const name of await caches.keys()) if (name.startsWith("trilha.")) await caches.delete(name);
  if (!(await self.registration.pushManager?.getSubscription())) await self.registration.unregister();
})()));
