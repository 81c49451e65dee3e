// What of a report is sent where the whole is too large: what decides, and where the learner goes on.
const CORE = ["completion_status", "success_status", "score", "progress_measure", "location", "exit", "session_time", "suspend_data", "core"];
const SEQUENCING_BYTES = 100_000;

// The reduced body with the number of answers that it lacks, or null where there is nothing to leave out.
export function reduced(kind, body) {
  if (kind !== "commit" || body.launch?.left_out) return null;
  const cmi = Object.fromEntries(Object.entries(body.cmi ?? {}).filter(([name]) => CORE.includes(name)));
  const answers = Object.keys(body.cmi?.interactions ?? {}).filter((name) => /^\d+$/.test(name)).length;
  const small = { cmi };
  if (body.sequencing && body.sequencing.length <= SEQUENCING_BYTES) small.sequencing = body.sequencing;
  return { body: small, leftOut: Math.max(answers, 1) };
}
