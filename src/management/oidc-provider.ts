import * as client from 'openid-client';
import type { OidcConfiguration } from '../configuration/configuration.ts';

const providerTimeoutSeconds = 10;

/** Asks the provider what it is. Rejects with the library’s error, see `providerFault`. */
export function discover({ issuer, clientId, clientSecret }: OidcConfiguration): Promise<client.Configuration> {
  const url = new URL(issuer);
  const options = {
    timeout: providerTimeoutSeconds,
    // Verifies the signature of ID tokens too, not only the connection they come over.
    execute: [client.enableNonRepudiationChecks, ...(url.protocol === 'http:' ? [client.allowInsecureRequests] : [])],
  };
  return client.discovery(url, clientId, undefined, client.ClientSecretBasic(clientSecret), options);
}

/** Thrown by `checkProvider`: what the provider said, where it said something, or why it was not heard. */
export class ProviderFault extends Error {
  /** `malformed`, as of an exchange, where it answers: then the way to it is no matter. */
  readonly kind: 'malformed' | 'unreachable';

  constructor(message: string, answers: boolean) {
    super(message);
    this.kind = answers ? 'malformed' : 'unreachable';
  }
}

/** Resolves with what a person should know of a provider that fits. Throws `ProviderFault`. */
export async function checkProvider(settings: OidcConfiguration): Promise<string> {
  const { issuer, scopes_supported: scopes } = await discover(settings).then(
    (provider) => provider.serverMetadata(),
    (error: unknown) => {
      throw providerFault(error, settings);
    },
  );
  const missing = scopes === undefined ? [] : settings.scope.split(' ').filter((scope) => !scopes.includes(scope));
  const note = missing.length === 0 ? '' : `; it does not list the scope ${missing.join(', ')} (admin.oidc.scope)`;
  return `issuer ${issuer}; roles from the claim ${settings.rolesClaim}${note}`;
}

interface LibraryFailure {
  readonly message?: unknown;
  readonly code?: unknown;
  readonly status?: unknown;
  readonly cause?: unknown;
}

/**
 * What went wrong with the provider, in one line without tokens and claims. Where it names another issuer than the
 * configuration does, both are in it.
 */
export function providerFault(error: unknown, { issuer }: Pick<OidcConfiguration, 'issuer'>): ProviderFault {
  const { message, code, cause } = error as LibraryFailure;
  const named = issuerIn(cause);
  if (named !== undefined) {
    const what = `the provider calls itself ${JSON.stringify(named)}, and admin.oidc.issuer is ${JSON.stringify(issuer)}`;
    return new ProviderFault(`${what}: write it as the provider does, to the last slash`, true);
  }
  const status = cause instanceof Response ? cause.status : undefined;
  if (status !== undefined) return new ProviderFault(`HTTP status ${status} from ${issuer}`, true);
  const why = cause instanceof Error ? `${String(message)} (${causeText(cause)})` : String(message);
  return new ProviderFault(why, typeof code === 'string' && code.startsWith('OAUTH_'));
}

/** The issuer that the provider names in its description or in a token, where that is what does not fit. */
function issuerIn(cause: unknown): string | undefined {
  const { attribute, body, claim, claims } = (cause ?? {}) as Readonly<Record<string, unknown>>;
  const holder = attribute === 'issuer' ? body : claim === 'iss' ? claims : undefined;
  const { issuer, iss } = (holder ?? {}) as Readonly<Record<string, unknown>>;
  const named = issuer ?? iss;
  return typeof named === 'string' ? named : undefined;
}

function causeText(cause: Error): string {
  const inner = cause.cause instanceof Error ? cause.cause : cause;
  return inner.message === '' ? ((inner as NodeJS.ErrnoException).code ?? inner.name) : inner.message;
}
