// Adapts scorm-again to this player: the page's connection stores and sends what the content commits.
import { Sequencing } from "./sequencing.js";
import { Trace } from "./trace.js";

// How long changes may wait without a commit before the player saves them.
const SAVE_AFTER = 15_000;
// How long content has after its end for what it does at once, such as a message.
const FINISH_AFTER = 500;
// The runtime's limit for suspend_data, and the server's: a longer state is stored outside the runtime.
const RUNTIME_STATE = 64_000;
const MAX_STATE = 262_144;
// Elapsed times change all the time, so they alone do not make the state dirty.
const TIMES = ["cmi.core.session_time", "cmi.session_time"];
const PERSONAL_ELEMENTS = ["student_id", "student_name", "learner_id", "learner_name"];
const SILENT = 5;
const FAILED = 391;
// The error "value not initialized" (SCORM 2004 RTE, 3.1.7.6).
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
    const runtime = new Runtime(await classOf(launch.scorm.version), launch, connection, state, address);
    await runtime.sequencing.begin(runtime.api);
    return runtime;
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

  // Content finds the API object in the window that contains its frame.
  publish(window) {
    window[this.names.api] = this.api;
  }

  get isOpen() {
    return this.api.isInitialized();
  }

  // Saves the changes since the last commit while the content goes on.
  save() {
    clearTimeout(this.#timer);
    this.#timer = null;
    if (!this.isOpen || !this.state.dirty) return;
    this.state.dirty = false;
    this.connection.push("commit", this.#body(this.api.renderCommitCMI(false)), { replaces: true });
    this.trace.send();
  }

  // Called when the page closes. The runtime stays open, because content may save its state after this. It does not
  // terminate for the content: content without a status counts as completed once terminated (SCORM 1.2 RTE, 3.4.4).
  leave() {
    this.#leaving = true;
    if (this.isOpen) {
      const body = this.#body(this.api.renderCommitCMI(true));
      this.state.dirty = false;
      this.connection.leave("commit", body, { small: shorten(body) });
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
      httpService: { processHttpRequest: (...args) => this.#handleCommit(...args), updateSettings() {} },
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
      return this.#loadByElement(new Api(settings), cmi);
    }
  }

  // Loads the state element by element, so that one bad element does not cost the others.
  #loadByElement(api, cmi) {
    for (const [element, value] of elements(cmi, "cmi")) {
      try {
        api.loadFromFlattenedJSON({ [element]: value });
      } catch {
        this.trace.note("load", element, value, "dropped", 0);
      }
    }
    return api;
  }

  // Content commits or terminates. The result is the server's answer, unless the page is closing.
  #handleCommit(url, params, isFinal) {
    this.state.dirty = false;
    const body = this.#body(params);
    const final = isFinal && !this.#forced;
    if (this.#leaving) {
      this.connection.leave("commit", body, { small: shorten(body), final });
      return { result: "true", errorCode: 0 };
    }
    const isStored = this.connection.pushNow("commit", body, { final, replaces: true });
    return { result: String(isStored), errorCode: isStored ? 0 : FAILED };
  }

  #body(params) {
    const cmi = structuredClone(params.cmi ?? params);
    for (const group of [cmi, cmi.core ?? {}]) for (const name of PERSONAL_ELEMENTS) delete group[name];
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
    this.api[terminate] = (...args) => this.#terminate(before.terminate, args);
    this.api[get] = (element) => this.#get(before.get, element);
    this.api[set] = (element, value) => this.#set(before.set, element, value);
    for (const name of ["initialize", "terminate", "get", "set", "commit"]) this.#record(this.names[name]);
    for (const name of this.names.others) this.#record(name);
  }

  // Sequencing decides where to go only after termination, so its state is sent after the content's commit.
  #terminate(terminate, args) {
    const result = terminate(...args);
    if (result !== "true") return result;
    const final = !this.#forced;
    const sequencing = this.sequencing.stateOf(this.api);
    const body = { cmi: {}, sequencing };
    if (sequencing !== null && this.#leaving) this.connection.leave("commit", body, { final, replaces: false });
    else if (sequencing !== null) this.connection.push("commit", body, { final });
    if (final && !this.#leaving && !this.sequencing.goOn()) this.#finish();
    return result;
  }

  // Content has ended by itself. It may still make calls in the same turn, such as LMSGetLastError. A page whose work is
  // no longer saved stays and says so.
  #finish() {
    setTimeout(() => {
      if (!this.isOpen && !this.connection.ended) this.state.finish();
    }, FINISH_AFTER);
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
    const long = isState && text.length > RUNTIME_STATE && text.length <= MAX_STATE && this.isOpen;
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
    this.api[name] = (...args) => {
      const result = call(...args);
      this.trace.note(name, args[0], args[1], result, error());
      return result;
    };
  }
}

// A commit without answers, comments and suspend_data: the elements that decide on completion.
function shorten(body) {
  const { suspend_data, interactions, comments_from_learner, ...cmi } = body.cmi;
  return { cmi };
}

function* elements(value, path) {
  for (const [name, inner] of Object.entries(value)) {
    if (inner !== null && typeof inner === "object") yield* elements(inner, `${path}.${name}`);
    else yield [`${path}.${name}`, inner];
  }
}
