import { generateKeyPairSync } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { TestContext } from 'node:test';
import Provider from 'oidc-provider';
import { fixedPort } from './fixed-port.ts';

export const clientId = 'mdapi';
export const clientSecret = 'a-secret-of-the-client-at-the-provider';

/** Who is at the provider's sign-in page, and what is said of them. */
export interface Visitor {
  readonly sub: string;
  readonly claims?: Readonly<Record<string, unknown>>;
  /** Ends the sign-in with this error instead. */
  readonly refuses?: string;
}

/** A real OpenID Connect provider on a port of its own, whose sign-in page lets `visitor` in without a question. */
export class OpenIdProvider {
  readonly issuer: string;
  visitor: Visitor = { sub: 'nobody' };
  readonly #server: Server;

  private constructor(issuer: string, server: Server) {
    this.issuer = issuer;
    this.#server = server;
  }

  /** @param redirectUri asked for when a browser comes, so that the client may start after the provider */
  static async start(
    t: Pick<TestContext, 'after'>,
    redirectUri: () => string,
    host = '127.0.0.1',
  ): Promise<OpenIdProvider> {
    const port = await fixedPort();
    const issuer = `http://${host}:${port}`;
    let handle: ReturnType<Provider['callback']> | undefined;
    const server = createServer((request, response) => {
      if (request.url?.startsWith('/interaction/') === true) {
        const { sub, refuses } = started.visitor;
        const result = refuses === undefined ? { login: { accountId: sub } } : { error: refuses };
        void provider?.interactionFinished(request, response, result);
        return;
      }
      provider ??= started.#provider(redirectUri());
      handle ??= provider.callback();
      void handle(request, response);
    });
    let provider: Provider | undefined;
    const started = new OpenIdProvider(issuer, server);
    server.listen(port, '127.0.0.1');
    await once(server, 'listening');
    t.after(() => started.stop());
    return started;
  }

  stop(): void {
    this.#server.close();
    this.#server.closeAllConnections();
  }

  #provider(redirectUri: string): Provider {
    const key = generateKeyPairSync('rsa', { modulusLength: 2_048 }).privateKey.export({ format: 'jwk' });
    const provider: Provider = new Provider(this.issuer, {
      clients: [{ client_id: clientId, client_secret: clientSecret, redirect_uris: [redirectUri] }],
      jwks: { keys: [{ ...key, use: 'sig', alg: 'RS256' }] },
      cookies: { keys: ['a-key-for-the-cookies-of-the-provider'] },
      claims: { openid: ['sub'], email: ['email', 'email_verified'], groups: ['groups'] },
      features: { devInteractions: { enabled: false } },
      pkce: { required: () => true },
      interactions: { url: (_context: unknown, { uid }: { uid: string }) => `/interaction/${uid}` },
      findAccount: (_context: unknown, sub: string) => ({
        accountId: sub,
        claims: () => ({ sub, ...this.visitor.claims }),
      }),
      async loadExistingGrant({ oidc }: { oidc: { session: { accountId: string }; params: { scope: string } } }) {
        const grant = new provider.Grant({ clientId, accountId: oidc.session.accountId });
        grant.addOIDCScope(oidc.params.scope);
        await grant.save();
        return grant;
      },
    });
    return provider;
  }
}
