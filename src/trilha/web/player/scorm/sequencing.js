// SCORM 2004 sequencing. Each part of a package is a module with a page of its own: the activity that the runtime
// delivers next is opened there, and commits carry the sequencing state from one page to the next.

export class Sequencing {
  constructor(options, state) {
    this.options = options;
    this.pageState = state;
    this.next = null;
  }

  get settings() {
    if (!this.options.sequencing) return {};
    const persistence = { loadState: async () => this.options.sequencing_state, saveState: async () => true };
    return {
      sequencing: this.options.sequencing,
      sequencingStatePersistence: { persistence, compress: false, autoLoadOnInitialize: false, autoSaveOn: "never" },
    };
  }

  // Moves to this page's activity by the rules if they allow it, else directly, because the learner opened it.
  async begin(api) {
    if (!this.options.sequencing) return;
    if (this.options.sequencing_state) await api.loadSequencingState();
    const { item } = this.options;
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
    });
  }

  // Returns the state as text for the next page, or null if the package has no rules.
  stateOf(api) {
    return this.options.sequencing ? api.serializeSequencingState() : null;
  }

  // After termination, goes on to the activity that the rules or the content's request select. Returns whether there
  // is one.
  goOn() {
    const to = this.next === this.options.item ? null : this.options.modules?.[this.next];
    if (to) this.pageState.leave(to);
    return Boolean(to);
  }

  #isAt(api, item) {
    const { currentActivity } = api.getSequencingState();
    return currentActivity?.id === item && currentActivity.isActive;
  }
}
