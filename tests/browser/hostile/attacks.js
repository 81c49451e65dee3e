// What content might try on the application and on other content. Each outcome is what it got, or the name of the
// error that stopped it; the test says where it is (`given`).

const PATIENCE = 4000;
const later = (milliseconds) => new Promise((done) => setTimeout(done, milliseconds, "nothing"));

function frameAt(address) {
  const frame = document.createElement("iframe");
  const loaded = new Promise((done) => frame.addEventListener("load", done, { once: true }));
  frame.src = address;
  document.body.append(frame);
  return loaded.then(() => frame);
}

// "load" where the browser handed it over, "error" where not.
function element(name, address) {
  const made = document.createElement(name);
  const told = new Promise((done) => {
    for (const type of ["load", "error"]) made.addEventListener(type, () => done(type), { once: true });
  });
  made[name === "link" ? "href" : "src"] = address;
  if (name === "link") made.rel = "stylesheet";
  document.body.append(made);
  return told;
}

// What the content policy has to say of a form that is sent there.
async function form(action, target, fields = {}) {
  const told = new Promise((done) => {
    const hear = (event) => done(event.effectiveDirective);
    document.addEventListener("securitypolicyviolation", hear, { once: true });
  });
  const made = document.createElement("form");
  Object.assign(made, { action, method: "post", target });
  for (const [name, value] of Object.entries(fields)) {
    made.append(Object.assign(document.createElement("input"), { name, value }));
  }
  document.body.append(made);
  made.submit();
  return Promise.race([told, later(PATIENCE)]);
}

function press(target, href) {
  const link = Object.assign(document.createElement("a"), { href, target });
  document.body.append(link);
  link.click();
  return later(300);
}

async function status(address, options) {
  const answer = await fetch(address, options);
  return answer.type === "opaque" ? "sent" : answer.status;
}

async function register(script, options, container = navigator.serviceWorker) {
  await container.register(script, options);
  return "registered";
}

function request(address, method) {
  return new Promise((done) => {
    const made = new XMLHttpRequest();
    made.withCredentials = true;
    made.onloadend = () => done(made.status || "error");
    made.open(method, address);
    made.send();
  });
}

async function popup(address, read) {
  const opened = window.open(address);
  if (!opened) return "nothing";
  await later(1500);
  try {
    return read(opened);
  } finally {
    opened.close();
  }
}

const attacks = {
  // What is its own, it has.
  "own file": () => status("index.html"),
  "own picture": () => element("img", "picture.svg"),
  "own storage": () => { localStorage.setItem("own", "kept"); return localStorage.getItem("own"); },
  // The application's document.
  "document": () => top.document.body.innerHTML,
  "document of the parent's parent": () => parent.parent.document.title,
  "cookies of the document": () => top.document.cookie,
  "local storage": () => top.localStorage.length,
  "session storage": () => top.sessionStorage.length,
  "databases": () => top.indexedDB.name,
  "script": () => top.eval("document.title"),
  "frame element": () => String(parent.frameElement),
  "element of the application": () => top.customElements.get("course-player"),
  "domain": () => { document.domain = "localhost"; },
  "own cookies": () => document.cookie,
  "cookies of the frame's page": () => parent.document.cookie,
  // Its window. That it stays where it is, the test sees.
  "navigate": () => { top.location = `${given.application}/login`; },
  "navigate by href": () => { top.location.href = `${given.application}/login`; },
  "navigate by replace": () => top.location.replace("about:blank"),
  "navigate by a script": () => { top.location = "javascript:document.title"; },
  "navigate by reload": () => top.location.reload(),
  "navigate by name": () => String(window.open(`${given.application}/login`, "_top")?.closed),
  "navigate by link": () => press("_top", `${given.application}/login`),
  "navigate by form": () => form(location.href, "_top").then(() => "nothing"),
  "close": () => top.close(),
  // What it answers to the learner.
  ...Object.fromEntries(["/learn", "/admin", "/api/auth/session", "/v1/users", "/docs"].flatMap((path) => [
    [`fetch ${path}`, () => status(given.application + path, { credentials: "include" })],
    [`fetch ${path} unread`, () => status(given.application + path, { credentials: "include", mode: "no-cors" })],
    [`request ${path}`, () => request(given.application + path, "GET")],
    [`own ${path}`, () => status(path, { credentials: "include" })],
  ])),
  "image": () => element("img", `${given.application}/learn`),
  "script of a page": () => element("script", `${given.application}/learn`),
  "style of a page": () => element("link", `${given.application}/learn`),
  "frame": async () => (await frameAt(`${given.application}/learn`)).contentWindow.document.title,
  "popup": () => popup(`${given.application}/learn`, (opened) => opened.document.title),
  // What it does for the learner.
  "form to /learn": () => form(`${given.application}/learn/profile/language`, "", { locale: "en" }),
  "form to /admin": () => form(`${given.application}/admin/people/new`, "_blank", { name: "Mallory" }),
  "form to /logout": () => form(`${given.application}/logout`, "_blank"),
  "form from an empty frame": async () => {
    const frame = await frameAt("about:blank");
    const inside = frame.contentDocument;
    const made = inside.createElement("form");
    Object.assign(made, { action: `${given.application}/logout`, method: "post" });
    inside.body.append(made);
    made.submit();
    return later(500);
  },
  "post": () => request(`${given.application}/logout`, "POST"),
  "post unread": () => fetch(`${given.application}/logout`, {
    method: "POST", mode: "no-cors", credentials: "include",
  }).then(() => "sent"),
  "post to the api": () => fetch(`${given.application}/api/auth/logout`, {
    method: "POST", mode: "no-cors", credentials: "include",
  }).then(() => "sent"),
  "delete": () => request(`${given.application}/v1/users/${given.user}`, "DELETE"),
  "beacon": () => { navigator.sendBeacon(`${given.application}/logout`); return later(300); },
  // Other content.
  "another's local storage": () => localStorage.getItem("secret"),
  "another's databases": async () => (await indexedDB.databases()).map((each) => each.name).join(),
  "another's caches": async () => (await caches.keys()).join(),
  "another's frame": async () => (await frameAt(given.other)).contentWindow.localStorage.getItem("secret"),
  "another's files in a frame": async () =>
    (await frameAt(`${given.other}p/index.html`)).contentDocument.title,
  "another's popup": () => popup(given.other, (opened) => opened.localStorage.getItem("secret")),
  "another's launch": () => status(given.other),
  "another's file": () => status(`${given.other}p/index.html`),
  "another's file as an image": () => element("img", `${given.other}p/picture.svg`),
  "another's token": () => status(`/l/${given.token}/`),
  "another's token for a file": () => status(`/l/${given.token}/p/index.html`),
  "another's token for a commit": () => status(`/l/${given.token}/commit`, { method: "POST", body: "{}" }),
  "own token there": () => status(`${new URL(given.other).origin}${parent.location.pathname}`),
  // What would stay.
  "service worker": () => register("worker.js"),
  "service worker above": () => register("worker.js", { scope: "/" }),
  "service worker as a module": () => register("worker.js", { type: "module" }),
  "service worker of the frame's page": () => register("worker.js", {}, parent.navigator.serviceWorker),
  "service worker of the player's own": () => {
    const page = [...parent.document.scripts].find((each) => each.src).src;
    return register(new URL("../scripts/recovery.js", page), { type: "module" });
  },
  "service worker of a blob": () => register(URL.createObjectURL(new Blob([""], { type: "text/javascript" }))),
  "service workers": async () => (await navigator.serviceWorker.getRegistrations()).length,
  // The page around the frame, in the player's own name.
  "messages": async () => {
    const script = parent.document.createElement("script");
    script.src = new URL("inside.js", location).href;
    parent.document.body.append(script);
    await later(1500);
    return parent.told;
  },
};

async function outcome(attack) {
  try {
    const got = await Promise.race([attack(), later(2 * PATIENCE)]);
    return got === undefined ? "done" : String(got);
  } catch (error) {
    return error.name;
  }
}

document.querySelector("button").addEventListener("click", async () => {
  const outcomes = {};
  for (const [name, attack] of Object.entries(attacks)) outcomes[name] = await outcome(attack);
  const shown = document.getElementById("outcomes");
  shown.textContent = JSON.stringify(outcomes);
  shown.dataset.done = "";
});
