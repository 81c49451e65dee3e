// What is kept on this device, as text by key. Where browsers give a frame no storage, as in private windows, the
// page around it keeps it.

export const PREFIX = "trilha.queue.";
const WAIT = 2000;

function works() {
  try {
    localStorage.setItem(`${PREFIX}try`, "");
    localStorage.removeItem(`${PREFIX}try`);
    return true;
  } catch {
    return false;
  }
}

class Own {
  all() {
    const keys = Object.keys(localStorage).filter((key) => key.startsWith(PREFIX));
    return keys.map((key) => [key, localStorage.getItem(key)]);
  }

  set(key, text) {
    localStorage.setItem(key, text);
  }

  remove(key) {
    localStorage.removeItem(key);
  }
}

class Around {
  constructor(kept) {
    this.kept = new Map(kept);
  }

  all() {
    return [...this.kept];
  }

  set(key, text) {
    this.kept.set(key, text);
    window.parent.postMessage({ trilha: "keep", key, text }, "*");
  }

  remove(key) {
    if (this.kept.delete(key)) window.parent.postMessage({ trilha: "keep", key, text: null }, "*");
  }
}

// What the page around the frame has; nothing where it does not answer.
function asked() {
  return new Promise((done) => {
    const hear = (event) => {
      if (event.source !== window.parent || event.data?.trilha !== "kept") return;
      window.removeEventListener("message", hear);
      clearInterval(asking);
      done(event.data.kept);
    };
    window.addEventListener("message", hear);
    const ask = () => window.parent.postMessage({ trilha: "kept?" }, "*");
    // It may have its own script still to load.
    const asking = setInterval(ask, 200);
    ask();
    setTimeout(() => done([]), WAIT);
  });
}

export const kept = works() ? new Own() : new Around(window.parent === window ? [] : await asked());
