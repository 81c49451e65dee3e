// Connects CATAPULT's LMS test suite with Trilha: each call goes to the runner (cmi5.py), at CATAPULT_DRIVER.
const path = require("path");
const Wreck = require(path.join(process.cwd(), "node_modules/@hapi/wreck"));
const { InvalidPackageError } = require(path.join(process.cwd(), "lib/errors"));

const driver = process.env.CATAPULT_DRIVER;

async function ask(what, body) {
  const answer = await Wreck.request("POST", `${driver}/${what}`, { payload: body });
  const told = await Wreck.read(answer, { json: "force" });
  if (answer.statusCode === 422) throw new InvalidPackageError(told.error);
  if (answer.statusCode !== 200) throw new Error(told.error);
  return told;
}

async function readAll(stream) {
  const pieces = [];
  for await (const piece of stream) pieces.push(piece);
  return Buffer.concat(pieces);
}

module.exports = {
  setup: async () => {},
  teardown: async () => {},
  cleanup: async () => {},
  getLrsEndpoint: () => process.env.CATAPULT_LRS,
  getLrsAuthHeader: () => process.env.CATAPULT_LRS_AUTHORIZATION,
  importCourse: async (stream, contentType, filename) =>
    (await ask(`import/${encodeURIComponent(filename)}`, await readAll(stream))).id,
  getLaunchUrl: async (course, unit, actor, { registration, launchMode }) =>
    (await ask("launch", JSON.stringify({ course, unit, registration, mode: launchMode }))).address,
  hasWaive: () => true,
  waiveAU: (registration, unit, reason) => ask("waive", JSON.stringify({ registration, unit, reason })),
  hasAbandon: () => true,
  abandonSession: (session) => ask("abandon", JSON.stringify({ session })),
};
