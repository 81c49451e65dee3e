customElements.define("push-subscription", class extends HTMLElement {
  connectedCallback() {
    const form = this.querySelector("form");
    if (!("serviceWorker" in navigator && "PushManager" in window)) {
      form.querySelector("button").disabled = true;
      this.refuse();
      return;
    }
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      this.subscribe(form).catch(() => this.refuse());
    });
  }
  async subscribe(form) {
    if ((await Notification.requestPermission()) !== "granted") throw new Error("not granted");
    const registration = await navigator.serviceWorker.register("/learn/push-worker.js", { scope: "/learn", updateViaCache: "none" });
    const answer = await fetch("/learn/notifications/push-key", {
      method: "POST",
      body: new URLSearchParams({ csrf_token: form.elements.csrf_token.value }),
    });
    if (!answer.ok) throw new Error("no key");
    const subscription = await registration.pushManager.subscribe({
      userVisibleOnly: true,
      applicationServerKey: (await answer.text()).trim(),
    });
    const { endpoint, keys } = subscription.toJSON();
    form.elements.endpoint.value = endpoint;
    form.elements.p256dh.value = keys.p256dh;
    form.elements.auth.value = keys.auth;
    form.submit();
  }
  refuse() {
    const words = this.querySelector("p");
    words.textContent = this.dataset.refused;
    words.hidden = false;
  }
});
