// Shortens a commit that is too large to the elements that decide on completion and where the learner continues.
const CORE = ["completion_status", "success_status", "score", "progress_measure", "location", "exit", "session_time", "suspend_data", "core"];
const SEQUENCING_BYTES = 100_000;

// Returns the shortened body with the number of omitted answers, or null if nothing can be omitted.
export function shorten(kind, body) {
  if (kind !== "commit" || body.launch?.left_out) return null;
  const cmi = Object.fromEntries(Object.entries(body.cmi ?? {}).filter(([name]) => CORE.includes(name)));
  const answers = Object.keys(body.cmi?.interactions ?? {}).filter((name) => /^\d+$/.test(name)).length;
  const small = { cmi };
  if (body.sequencing && body.sequencing.length <= SEQUENCING_BYTES) small.sequencing = body.sequencing;
  return { body: small, leftOut: Math.max(answers, 1) };
}
