import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import * as client from 'openid-client';
import type { OidcConfiguration } from '../configuration/configuration.ts';
import { randomBase62 } from '../ground/base62.ts';
import type { Gate } from './gate.ts';
import { ownOriginOf } from './hosts.ts';
import { discover, providerFault } from './oidc-provider.ts';
import type { Management } from './parts.ts';
import { type Claims, kindOfClaim, roleOf } from './roles-claim.ts';
import { cookieFlags, isOverTls, setSessionCookie } from './session.ts';

/** Why a sign-in through the provider gave no session. The console has a sentence for each. */
type Failure = 'cancelled' | 'expired' | 'no-role' | 'provider' | 'too-many';

const startPath = '/console/sign-in';
const callbackPath = `${startPath}/callback`;
const attemptCookie = 'mdapi_sign_in';
const attemptForSeconds = 600;
/** 256 random bits, the length of a PKCE verifier (RFC 7636 §4.1). */
const secretLength = 43;

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
      parts.log.warn(describeError(error, settings), 'a sign-in through the OpenID Connect provider failed');
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
        const { subject, name, role, found } = await provider.personOf(
          attempt,
          new URL(request.url, redirectUri(request)),
        );
        if (role === undefined) {
          const looked = { claim: settings.rolesClaim, found };
          parts.log.warn(looked, 'a person has signed in at the provider, whose claims give no role');
          await gate.refusePerson(name, request, now, looked);
          return fail(reply, 'no-role');
        }
        const details = { issuer: settings.issuer, subject };
        const opened = await gate.open({ tokenId: undefined, name, role }, request, details, settings.sessionForMs);
        setSessionCookie(reply, opened, request, parts);
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
function describeError(error: unknown, settings: OidcConfiguration) {
  const { code, error: answer } = error as { code?: unknown; error?: unknown };
  return {
    reason: providerFault(error, settings).message,
    code: code && String(code),
    answer: answer && String(answer),
  };
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
    const claims: Claims = { ...more, ...idToken };
    return {
      subject: idToken.sub,
      name: nameOf(idToken.sub, claims),
      role: roleOf(claims, this.#settings),
      found: kindOfClaim(claims, this.#settings.rolesClaim),
    };
  }

  /** Once, and again after it failed. */
  #discover(): Promise<client.Configuration> {
    this.#discovered ??= discover(this.#settings).catch((error: unknown) => {
      this.#discovered = undefined;
      throw error;
    });
    return this.#discovered;
  }
}

/** For the audit log. The prefix keeps people apart from tokens, whose names have no colon. */
function nameOf(subject: string, { email, email_verified: isVerified }: Claims): string {
  const isUsable = typeof email === 'string' && isVerified !== false && /^[\x21-\x7e]{3,254}$/.test(email);
  return `oidc:${isUsable ? email : subject.replaceAll(/[^\x21-\x7e]/g, '?').slice(0, 255)}`;
}
