// SCORM 2004 sequencing by the runtime. Each part of a package is a module with a page of its own: what the runtime
// delivers next is opened there, and its state goes with the commits from one page to the next.

export class Sequencing {
  constructor(given, state) {
    this.given = given;
    this.pageState = state;
    this.next = null;
  }

  get settings() {
    if (!this.given.sequencing) return {};
    const persistence = { loadState: async () => this.given.sequencing_state, saveState: async () => true };
    return {
      sequencing: this.given.sequencing,
      sequencingStatePersistence: { persistence, compress: false, autoLoadOnInitialize: false, autoSaveOn: "never" },
    };
  }

  // To the part of this page: as the rules have it where they lead here, else because the learner opened it.
  async begin(api) {
    if (!this.given.sequencing) return;
    if (this.given.sequencing_state) await api.loadSequencingState();
    const { item } = this.given;
    for (const [request, target] of [["choice", item], ["start"], ["resumeAll"]]) {
      if (this.#isAt(api, item)) break;
      api.processNavigationRequest(request, target);
    }
    if (!this.#isAt(api, item)) {
      const tree = api.adl.sequencing.activityTree;
      tree.currentActivity = tree.getActivity(item);
    }
    api.setSequencingEventListeners({
      onActivityDelivery: (activity) => { this.next = activity.id; },
      onSequencingSessionEnd: () => { this.ended = true; },
    });
  }

  // As text, for the next page; null where the package has no rules.
  stateOf(api) {
    return this.given.sequencing ? api.serializeSequencingState() : null;
  }

  // Content has ended: on to what the rules, or its own request, lead to.
  goOn() {
    const to = this.next === this.given.item ? null : this.given.modules[this.next];
    if (to) this.pageState.leave(to);
    else if (this.ended) this.pageState.leave();
  }

  #isAt(api, item) {
    const { currentActivity } = api.getSequencingState();
    return currentActivity?.id === item && currentActivity.isActive;
  }
}
