// An OpenID provider on loopback, as its library has it. Its one argument is JSON: port, keys, clients, claims of
// the person who signs in, and whether ID tokens hold them.
import Provider from 'oidc-provider';

const asked = JSON.parse(process.argv[2]);
const issuer = `http://127.0.0.1:${asked.port}`;
const provider = new Provider(issuer, {
  clients: asked.clients,
  jwks: { keys: asked.keys },
  findAccount: (context, id) => ({
    accountId: id,
    claims: () => ({ ...asked.person, sub: id }),
  }),
  claims: { openid: ['sub'], email: ['email', 'email_verified'], profile: ['name'] },
  conformIdTokenClaims: asked.conform,
  enabledJWA: { idTokenSigningAlgValues: ['RS256', 'ES256'] },
  clientAuthMethods: ['client_secret_basic', 'client_secret_post', 'private_key_jwt'],
  features: { devInteractions: { enabled: true } },
  cookies: { keys: ['test'] },
  pkce: { required: () => true },
});
provider.on('server_error', (context, error) => console.error(error));
provider.listen(asked.port, '127.0.0.1', () => console.log('ready'));
