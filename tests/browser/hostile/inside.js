// Put by the package into the page around it, which is of its own origin: the application's page takes these for
// the player's own messages.
(() => {
  const say = (message) => parent.postMessage({ trilha: "state", saved: "saved", told: "", ...message }, "*");
  const keys = ["theme", "trilha.queue.another.1", `trilha.queue.${"x".repeat(200)}`];
  for (const key of keys) parent.postMessage({ trilha: "keep", key, text: "planted" }, "*");
  window.addEventListener("message", (event) => {
    if (event.data?.trilha === "kept") window.told = JSON.stringify(event.data.kept);
  });
  parent.postMessage({ trilha: "kept?" }, "*");
  say({ told: "<img src=x onerror=alert(1)>" });
  say({ told: "constructor" });
})();
