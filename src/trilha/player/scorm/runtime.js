// scorm-again with the ways of this player: what content does is kept and sent by the one connection.
import { Sequencing } from "./sequencing.js";
import { Trace } from "./trace.js";

// How long content may go on before what it did is sent by itself.
const SAVE_AFTER = 15_000;
// Longer state than the runtime takes is kept beside it; the server takes this much.
const RUNTIME_STATE = 64_000;
const MOST_STATE = 262_144;
// Clocks run on their own: they are nothing that has to be saved by itself.
const TIMES = ["cmi.core.session_time", "cmi.session_time"];
const OF_THE_PERSON = ["student_id", "student_name", "learner_id", "learner_name"];
const SILENT = 5;
const FAILED = 391;
// What was never set (SCORM 2004 RTE, 3.1.7.6).
const UNSET = "403";

const NAMES = {
  "1.2": {
    api: "API",
    initialize: "LMSInitialize",
    terminate: "LMSFinish",
    get: "LMSGetValue",
    set: "LMSSetValue",
    commit: "LMSCommit",
    error: "LMSGetLastError",
    others: ["LMSGetErrorString", "LMSGetDiagnostic"],
  },
  2004: {
    api: "API_1484_11",
    initialize: "Initialize",
    terminate: "Terminate",
    get: "GetValue",
    set: "SetValue",
    commit: "Commit",
    error: "GetLastError",
    others: ["GetErrorString", "GetDiagnostic"],
  },
};

async function classOf(version) {
  if (version === "1.2") return (await import("../npm/scorm12.js")).Scorm12API;
  return (await import("../npm/scorm2004.js")).Scorm2004API;
}

export class Runtime {
  static async make(launch, connection, state, address) {
    const made = new Runtime(await classOf(launch.scorm.version), launch, connection, state, address);
    await made.sequencing.begin(made.api);
    return made;
  }

  #longState = null;
  #timer = null;
  #leaving = false;
  #forced = false;

  constructor(Api, launch, connection, state, address) {
    this.launch = launch;
    this.connection = connection;
    this.state = state;
    this.names = NAMES[launch.scorm.version];
    this.trace = new Trace(address("trace"));
    this.sequencing = new Sequencing(launch.scorm, state);
    this.api = this.#make(Api);
    this.#wrap();
  }

  // Where content looks for it: in the window around its own.
  publish(window) {
    window[this.names.api] = this.api;
  }

  get isOpen() {
    return this.api.isInitialized();
  }

  // What was done since the last time, to the server, while content goes on.
  save() {
    clearTimeout(this.#timer);
    this.#timer = null;
    if (!this.isOpen || !this.state.dirty) return;
    this.state.dirty = false;
    this.connection.push("commit", this.#body(this.api.renderCommitCMI(false)), { replaces: true });
    this.trace.send();
  }

  // The page is being closed. The runtime stays open: content may save itself after this. It has not ended what it
  // did not end itself: what says nothing of its status counts as done once it has ended (SCORM 1.2 RTE, 3.4.4).
  leave() {
    this.#leaving = true;
    if (this.isOpen) {
      const body = this.#body(this.api.renderCommitCMI(true));
      this.state.dirty = false;
      this.connection.leave("commit", body, { small: short(body) });
    }
    this.trace.send(true);
  }

  // The page was kept by the browser, and is shown again.
  comeBack() {
    this.#leaving = false;
  }

  // Ends what content has left open.
  end() {
    this.#forced = true;
    if (this.isOpen) this.api[this.names.terminate]("");
    this.trace.send();
  }

  // What is no SCO does not speak: it is done once it is shown.
  showAsset() {
    this.api[this.names.initialize]("");
    const status = this.launch.scorm.version === "1.2" ? "cmi.core.lesson_status" : "cmi.completion_status";
    this.api[this.names.set](status, "completed");
    this.api[this.names.commit]("");
  }

  #make(Api) {
    const settings = {
      autocommit: false,
      lmsCommitUrl: "commit",
      sendFullCommit: true,
      mastery_override: false,
      logLevel: SILENT,
      ...this.sequencing.settings,
      httpService: { processHttpRequest: (...given) => this.#committed(...given), updateSettings() {} },
    };
    const api = new Api(settings);
    const cmi = structuredClone(this.launch.scorm.cmi);
    if ((cmi.suspend_data?.length ?? 0) > RUNTIME_STATE) {
      this.#longState = cmi.suspend_data;
      cmi.suspend_data = "";
    }
    try {
      api.loadFromJSON(cmi, "cmi");
      return api;
    } catch {
      return this.#loadedByElement(new Api(settings), cmi);
    }
  }

  // One bad element does not cost the others.
  #loadedByElement(api, cmi) {
    for (const [element, value] of elements(cmi, "cmi")) {
      try {
        api.loadFromFlattenedJSON({ [element]: value });
      } catch {
        this.trace.note("load", element, value, "dropped", 0);
      }
    }
    return api;
  }

  // Content commits, or ends. While the page is there, the answer is the server's.
  #committed(url, params, isFinal) {
    this.state.dirty = false;
    const body = this.#body(params);
    const final = isFinal && !this.#forced;
    if (this.#leaving) {
      this.connection.leave("commit", body, { small: short(body), final });
      return { result: "true", errorCode: 0 };
    }
    const kept = this.connection.pushNow("commit", body, { final, replaces: true });
    return { result: String(kept), errorCode: kept ? 0 : FAILED };
  }

  #body(params) {
    const cmi = structuredClone(params.cmi ?? params);
    for (const group of [cmi, cmi.core ?? {}]) for (const name of OF_THE_PERSON) delete group[name];
    if (this.#longState !== null) cmi.suspend_data = this.#longState;
    const sequencing = this.sequencing.stateOf(this.api);
    return sequencing === null ? { cmi } : { cmi, sequencing };
  }

  #wrap() {
    const { get, set } = this.names;
    const { terminate } = this.names;
    const before = {
      get: this.api[get].bind(this.api),
      set: this.api[set].bind(this.api),
      terminate: this.api[terminate].bind(this.api),
    };
    this.api[terminate] = (...given) => this.#terminate(before.terminate, given);
    this.api[get] = (element) => this.#get(before.get, element);
    this.api[set] = (element, value) => this.#set(before.set, element, value);
    for (const name of ["initialize", "terminate", "get", "set", "commit"]) this.#record(this.names[name]);
    for (const name of this.names.others) this.#record(name);
  }

  // Where the rules lead is known only once content has ended: it is told after what content has committed.
  #terminate(terminate, given) {
    const result = terminate(...given);
    const sequencing = result === "true" ? this.sequencing.stateOf(this.api) : null;
    if (sequencing === null) return result;
    const body = { cmi: {}, sequencing };
    const final = !this.#forced;
    if (this.#leaving) this.connection.leave("commit", body, { final, replaces: false });
    else this.connection.push("commit", body, { final });
    if (final && !this.#leaving) this.sequencing.goOn();
    return result;
  }

  #get(get, element) {
    const value = get(element);
    if (this.launch.scorm.lenient_get && this.api.lastErrorCode === UNSET) this.api.lastErrorCode = "0";
    const long = element === "cmi.suspend_data" && this.#longState !== null && this.isOpen;
    if (!long) return value;
    this.api.lastErrorCode = "0";
    return this.#longState;
  }

  #set(set, element, value) {
    const text = String(value);
    const isState = element === "cmi.suspend_data";
    const long = isState && text.length > RUNTIME_STATE && text.length <= MOST_STATE && this.isOpen;
    const result = set(element, long ? "" : value);
    if (isState && result === "true") this.#longState = long ? text : null;
    if (result === "true" && !TIMES.includes(element)) this.#touch();
    return result;
  }

  #touch() {
    this.state.dirty = true;
    this.#timer ??= setTimeout(() => this.save(), SAVE_AFTER);
  }

  #record(name) {
    const call = this.api[name].bind(this.api);
    const error = this.api[this.names.error].bind(this.api);
    this.api[name] = (...given) => {
      const result = call(...given);
      this.trace.note(name, given[0], given[1], result, error());
      return result;
    };
  }
}

// The most important of a commit: what decides, without the answers and what content keeps.
function short(body) {
  const { suspend_data, interactions, comments_from_learner, ...cmi } = body.cmi;
  return { cmi };
}

function* elements(value, path) {
  for (const [name, inner] of Object.entries(value)) {
    if (inner !== null && typeof inner === "object") yield* elements(inner, `${path}.${name}`);
    else yield [`${path}.${name}`, inner];
  }
}
