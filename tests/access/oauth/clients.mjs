// Two clients of the npm world: each gets a token and calls the API with it.
import * as openid from "openid-client";
import simple from "simple-oauth2";

const { TRILHA_URL: url, CLIENT_ID: id, CLIENT_SECRET: secret } = process.env;

async function count(token) {
  const answer = await fetch(`${url}/v1/users`, { headers: { authorization: `Bearer ${token}` } });
  return `${answer.status} ${(await answer.json()).data.length}`;
}

const config = await openid.discovery(new URL(url), id, secret, undefined, {
  algorithm: "oauth2",
  execute: [openid.allowInsecureRequests], // the test's server has no certificate
});
const granted = await openid.clientCredentialsGrant(config, { scope: "users:read" });
console.log("openid-client", await count(granted.access_token));
console.log((await openid.tokenIntrospection(config, granted.access_token)).active);
await openid.tokenRevocation(config, granted.access_token);
console.log((await openid.tokenIntrospection(config, granted.access_token)).active);

for (const authorizationMethod of ["header", "body"]) {
  const client = new simple.ClientCredentials({
    client: { id, secret },
    auth: { tokenHost: url },
    options: { authorizationMethod },
  });
  const { token } = await client.getToken({ scope: "users:read" });
  console.log("simple-oauth2", await count(token.access_token));
}
