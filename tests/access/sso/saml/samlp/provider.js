// An identity provider on samlp, as its documentation shows it. `mode` says what is signed and encrypted.
const express = require("express");
const fs = require("fs");
const samlp = require("samlp");

const [port, keyFile, certFile, ownCertFile] = process.argv.slice(2);
const key = fs.readFileSync(keyFile);
const cert = fs.readFileSync(certFile);
const issuer = "urn:samlp-provider";
const app = express();
app.use(express.urlencoded({ extended: false }));

// One browser at a time: its session here, and the services that it is signed in to.
const session = {};
const participants = [];

const signing = {
  assertion: { signAssertion: true, signResponse: false },
  response: { signAssertion: false, signResponse: true },
  both: { signAssertion: true, signResponse: true },
  encrypted: { signAssertion: true, signResponse: true },
};

function options(request, base) {
  const email = request.params.email;
  const found = {
    issuer, key, cert, ...signing[request.params.mode],
    destination: `${base}/acs`,
    recipient: `${base}/acs`,
    audience: `${base}/metadata`,
    sessionIndex: "_session1",
    nameIdentifierFormat: "urn:oasis:names:tc:SAML:1.1:nameid-format:emailAddress",
    getUserFromRequest: () => ({ id: email, displayName: "Ana Lima", name: {}, emails: [{ value: email }] }),
    getPostURL: (audience, message, request, done) => done(null, `${base}/acs`),
  };
  if (request.params.mode === "encrypted") {
    found.encryptionCert = fs.readFileSync(ownCertFile);
    found.encryptionPublicKey = require("crypto").createPublicKey(found.encryptionCert)
      .export({ type: "spki", format: "pem" });
  }
  participants.length = 0;
  participants.push({
    serviceProviderId: `${base}/metadata`,
    nameId: email,
    nameIdFormat: found.nameIdentifierFormat,
    sessionIndex: "_session1",
    serviceProviderLogoutURL: `${base}/slo`,
    cert: fs.readFileSync(ownCertFile),
  });
  return found;
}

app.get("/metadata/:mode/:email", (request, response, next) =>
  samlp.metadata({
    issuer, cert,
    redirectEndpointPath: `/sso/${request.params.mode}/${request.params.email}`,
    postEndpointPath: `/sso/${request.params.mode}/${request.params.email}`,
    logoutEndpointPaths: { redirect: "/logout", post: "/logout" },
  })(request, response, next));

app.get("/sso/:mode/:email", (request, response, next) =>
  samlp.parseRequest(request, (error, asked) => {
    if (error) return next(error);
    const base = asked.assertionConsumerServiceURL.replace(/\/acs$/, "");
    // With the certificate, the signature of the request has to be good.
    const more = { signingCert: fs.readFileSync(ownCertFile) };
    samlp.auth({ ...options(request, base), ...more })(request, response, next);
  }));

app.get("/begin/:mode/:email", (request, response, next) =>
  samlp.auth({ ...options(request, request.query.base), RelayState: "/learn/courses" })(request, response, next));

app.all("/logout", (request, response, next) => {
  request.session = session;
  samlp.logout({
    issuer, key, cert,
    deflate: true,
    protocolBinding: "urn:oasis:names:tc:SAML:2.0:bindings:HTTP-Redirect",
    sessionParticipants: new (require("samlp/lib/sessionParticipants"))(participants),
  })(request, response, next);
});

app.listen(Number(port), "127.0.0.1", () => console.log("ready"));
