import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import * as client from 'openid-client';
import type { OidcConfiguration } from '../configuration/configuration.ts';
import { randomBase62 } from '../ground/base62.ts';
import { type Role, roles } from '../operator/role.ts';
import type { Gate } from './gate.ts';
import { ownOriginOf } from './hosts.ts';
import type { Management } from './parts.ts';
import { cookieFlags, isOverTls, setSessionCookie } from './session.ts';

/** Why a sign-in through the provider gave no session. The console has a sentence for each. */
type Failure = 'cancelled' | 'expired' | 'no-role' | 'provider' | 'too-many';

const startPath = '/console/sign-in';
const callbackPath = `${startPath}/callback`;
const attemptCookie = 'mdapi_sign_in';
const attemptForSeconds = 600;
/** 256 random bits, the length of a PKCE verifier (RFC 7636 §4.1). */
const secretLength = 43;
const providerTimeoutSeconds = 10;

/**
 * Sign-in through an OpenID Connect provider: the authorization code flow with PKCE, state and nonce. What belongs to
 * an attempt is in a cookie of the browser that began it, so that no other browser can end it.
 */
export function addProviderSignIn(
  api: FastifyInstance,
  settings: OidcConfiguration,
  parts: Management,
  gate: Gate,
): void {
  const provider = new Provider(settings);
  const redirectUri = (request: FastifyRequest) => `${ownOriginOf(request, parts.access.addresses)}${callbackPath}`;
  const attemptFlags = (request: FastifyRequest) =>
    ({ ...cookieFlags, sameSite: 'lax', path: startPath, secure: isOverTls(request, parts) }) as const;

  function fail(reply: FastifyReply, failure: Failure, error?: unknown): FastifyReply {
    if (error !== undefined)
      parts.log.warn(describeError(error), 'a sign-in through the OpenID Connect provider failed');
    return reply.redirect(`/console/?sign-in=${failure}`, 303);
  }

  api.get(startPath, { config: { operationId: 'beginProviderSignIn' } }, async (request, reply) => {
    const attempt = [0, 0, 0].map(() => randomBase62(secretLength, parts.randomness)) as Attempt;
    try {
      const url = await provider.signInUrl(attempt, redirectUri(request));
      reply.setCookie(attemptCookie, attempt.join('.'), { ...attemptFlags(request), maxAge: attemptForSeconds });
      return reply.redirect(url.href, 303);
    } catch (error) {
      return fail(reply, 'provider', error);
    }
  });

  api.get<{ Querystring: { error?: unknown; state?: unknown } }>(
    callbackPath,
    { config: { operationId: 'endProviderSignIn' } },
    async (request, reply) => {
      const now = parts.clock.now();
      const attempt = request.cookies[attemptCookie]?.split('.') ?? [];
      reply.clearCookie(attemptCookie, attemptFlags(request));
      if (!isAttempt(attempt) || request.query.state !== attempt[0]) return fail(reply, 'expired');
      if (request.query.error !== undefined) return fail(reply, 'cancelled', new Error(String(request.query.error)));
      if (gate.isUsedUp(request, now)) return fail(reply, 'too-many');
      try {
        const { subject, name, role } = await provider.personOf(attempt, new URL(request.url, redirectUri(request)));
        if (role === undefined) {
          await gate.refusePerson(name, request, now);
          return fail(reply, 'no-role');
        }
        const details = { issuer: settings.issuer, subject };
        setSessionCookie(reply, await gate.open({ tokenId: undefined, name, role }, request, details), request, parts);
        return reply.redirect('/console/', 303);
      } catch (error) {
        gate.noteFailure(request, now);
        return fail(reply, 'provider', error);
      }
    },
  );
}

type Attempt = [state: string, nonce: string, verifier: string];

function isAttempt(parts: readonly string[]): parts is Attempt {
  return parts.length === 3 && parts.every((part) => part.length === secretLength);
}

/** Gives what may be logged: the whole error can hold tokens and claims. */
function describeError(error: unknown) {
  const { message, code, error: answer } = error as { message?: unknown; code?: unknown; error?: unknown };
  return { reason: String(message), code: code && String(code), answer: answer && String(answer) };
}

class Provider {
  readonly #settings: OidcConfiguration;
  #discovered: Promise<client.Configuration> | undefined;

  constructor(settings: OidcConfiguration) {
    this.#settings = settings;
  }

  async signInUrl([state, nonce, verifier]: Attempt, redirectUri: string): Promise<URL> {
    return client.buildAuthorizationUrl(await this.#discover(), {
      redirect_uri: redirectUri,
      scope: this.#settings.scope,
      state,
      nonce,
      code_challenge: await client.calculatePKCECodeChallenge(verifier),
      code_challenge_method: 'S256',
    });
  }

  /** Exchanges the code in the URL that the provider sent the browser back to. */
  async personOf([expectedState, expectedNonce, pkceCodeVerifier]: Attempt, url: URL) {
    const provider = await this.#discover();
    const checks = { expectedState, expectedNonce, pkceCodeVerifier, idTokenExpected: true };
    const tokens = await client.authorizationCodeGrant(provider, url, checks);
    const idToken = tokens.claims()!;
    const hasUserInfo = provider.serverMetadata().userinfo_endpoint !== undefined;
    const more = hasUserInfo ? await client.fetchUserInfo(provider, tokens.access_token, idToken.sub) : {};
    const claims: Readonly<Record<string, unknown>> = { ...more, ...idToken };
    return { subject: idToken.sub, name: nameOf(idToken.sub, claims), role: roleOf(claims, this.#settings) };
  }

  /** Once, and again after it failed. */
  #discover(): Promise<client.Configuration> {
    const { issuer, clientId, clientSecret } = this.#settings;
    const url = new URL(issuer);
    const options = {
      timeout: providerTimeoutSeconds,
      // Verifies the signature of ID tokens too, not only the connection they come over.
      execute: [client.enableNonRepudiationChecks, ...(url.protocol === 'http:' ? [client.allowInsecureRequests] : [])],
    };
    const authentication = client.ClientSecretBasic(clientSecret);
    this.#discovered ??= client.discovery(url, clientId, undefined, authentication, options).catch((error: unknown) => {
      this.#discovered = undefined;
      throw error;
    });
    return this.#discovered;
  }
}

/** The highest of the roles that the values of the claim stand for. */
function roleOf(claims: Readonly<Record<string, unknown>>, settings: OidcConfiguration): Role | undefined {
  const mapping = new Map<unknown, Role>(Object.entries(settings.roles));
  const found = [claims[settings.rolesClaim]].flat().map((value) => mapping.get(value));
  return roles.findLast((role) => found.includes(role));
}

/** For the audit log. The prefix keeps people apart from tokens, whose names have no colon. */
function nameOf(subject: string, { email, email_verified: isVerified }: Readonly<Record<string, unknown>>): string {
  const isUsable = typeof email === 'string' && isVerified !== false && /^[\x21-\x7e]{3,254}$/.test(email);
  return `oidc:${isUsable ? email : subject.replaceAll(/[^\x21-\x7e]/g, '?').slice(0, 255)}`;
}
