// Shows reminders that arrive while no page is open, and opens their page.
self.addEventListener("push", (event) => {
  const note = event.data.json();
  event.waitUntil(
    self.registration.showNotification(note.title, { body: note.body, tag: note.id, data: { url: note.url } }),
  );
});
self.addEventListener("notificationclick", (event) => {
  event.notification.close();
  event.waitUntil(self.clients.openWindow(event.notification.data.url));
});
