// Stores text by key on this device. If the browser gives a frame no storage, as in private windows, the outer page
// stores it instead.

export const PREFIX = "trilha.queue.";
const WAIT = 2000;

function isStorageAvailable() {
  try {
    localStorage.setItem(`${PREFIX}try`, "");
    localStorage.removeItem(`${PREFIX}try`);
    return true;
  } catch {
    return false;
  }
}

class OwnStorage {
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

class OuterPageStorage {
  constructor(records) {
    this.records = new Map(records);
  }

  all() {
    return [...this.records];
  }

  set(key, text) {
    this.records.set(key, text);
    window.parent.postMessage({ trilha: "keep", key, text }, "*");
  }

  remove(key) {
    if (this.records.delete(key)) window.parent.postMessage({ trilha: "keep", key, text: null }, "*");
  }
}

// Asks the outer page for its records. Resolves to none if it does not answer.
function requestRecords() {
  return new Promise((done) => {
    const hear = (event) => {
      if (event.source !== window.parent || event.data?.trilha !== "kept") return;
      window.removeEventListener("message", hear);
      clearInterval(asking);
      done(event.data.kept);
    };
    window.addEventListener("message", hear);
    const ask = () => window.parent.postMessage({ trilha: "kept?" }, "*");
    // Its script may still be loading, so ask repeatedly.
    const asking = setInterval(ask, 200);
    ask();
    setTimeout(() => done([]), WAIT);
  });
}

export const storage = isStorageAvailable() ? new OwnStorage() : new OuterPageStorage(window.parent === window ? [] : await requestRecords());
