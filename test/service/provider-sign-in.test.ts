import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { ManagementClient } from '../support/management-client.ts';
import { clientId, clientSecret, OpenIdProvider, type Visitor } from '../support/openid-provider.ts';
import { ServiceHarness } from '../support/service-harness.ts';

interface Session {
  readonly expiresAtMs: number;
  readonly operator: { readonly name: string; readonly role: string };
  readonly csrfToken: string;
}
interface Entries {
  readonly entries: readonly {
    readonly actor: string;
    readonly action: string;
    readonly summary: string;
    readonly details: Readonly<Record<string, unknown>>;
  }[];
}

const olga: Visitor = {
  sub: 'u-17',
  claims: { email: 'olga@example.com', email_verified: true, groups: ['staff', 'desk', 'tennis'] },
};

/** A browser: it keeps cookies by host and follows redirects as far as asked. */
class Browser {
  readonly cookies = new Map<string, Map<string, string>>();

  async get(url: string | URL): Promise<{ status: number; location: URL | undefined; set: readonly string[] }> {
    const { host } = new URL(url);
    const jar = this.cookies.get(host) ?? new Map<string, string>();
    this.cookies.set(host, jar);
    const cookie = [...jar].map((pair) => pair.join('=')).join('; ');
    const response = await fetch(url, { redirect: 'manual', headers: { cookie, connection: 'close' } });
    const set = response.headers.getSetCookie();
    for (const line of set) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
      if (value === '' || /expires=thu, 01 jan 1970/i.test(line)) jar.delete(name);
      else jar.set(name, value);
    }
    const location = response.headers.get('location');
    await response.body?.cancel();
    return { status: response.status, location: location === null ? undefined : new URL(location, url), set };
  }

  /** Follows redirects until one leads to an address that fits, which is not visited. */
  async follow(url: string | URL, until: RegExp): Promise<URL> {
    let at = new URL(url);
    for (let count = 0; count < 10; count++) {
      const { location, status } = await this.get(at);
      assert.ok(location !== undefined, `${at} answers ${status}`);
      if (until.test(location.href)) return location;
      at = location;
    }
    return assert.fail(`${at} leads nowhere`);
  }
}

describe('signing in through an OpenID Connect provider', () => {
  const cleanups: (() => unknown)[] = [];
  const t = { after: (run: unknown) => cleanups.unshift(run as () => unknown) };
  let provider: OpenIdProvider;
  let service: ServiceHarness;
  let base = '';
  const configured = 'a-configured-token-of-good-length';
  before(async () => {
    provider = await OpenIdProvider.start(t, () => `${base}/console/sign-in/callback`);
    const settings = {
      'admin.token': configured,
      'admin.oidc.issuer': provider.issuer,
      'admin.oidc.clientId': clientId,
      'admin.oidc.clientSecret': clientSecret,
      'admin.oidc.scope': 'openid email groups',
      'admin.oidc.rolesClaim': 'groups',
      'admin.oidc.roles': '{"staff":"read-only","desk":"support"}',
    };
    service = await ServiceHarness.start(t, { settings });
    base = service.service.adminUrl;
  });
  after(async () => {
    for (const run of cleanups) await run();
  });

  const begin = () => `${base}/console/sign-in`;
  const callback = /\/console\/sign-in\/callback\?/;
  const console = /\/console\/(\?.*)?$/;
  const audit = async () =>
    (await ManagementClient.withToken(base, configured).get<Entries>('/api/audit?limit=200')).body.entries;
  const sessionOf = (browser: Browser) => browser.cookies.get(new URL(base).host)?.get('mdapi_session');

  test('makes a session with the most of the roles their groups give, under their address; signing out ends it', async () => {
    provider.visitor = olga;
    const { body } = await new ManagementClient(base).get<{ provider: string }>('/api/session/methods');
    assert.equal(body.provider, new URL(provider.issuer).host);
    const browser = new Browser();
    assert.equal((await browser.follow(begin(), console)).href, `${base}/console/`);
    const client = new ManagementClient(base, { cookie: `mdapi_session=${sessionOf(browser)}`, origin: base });
    const { operator, csrfToken, expiresAtMs } = (await client.get<Session>('/api/session')).body;
    const lastsMs = expiresAtMs - service.clock.now();
    assert.ok(lastsMs > 3_500_000 && lastsMs <= 3_600_000, 'an hour, and then the provider is asked anew');
    assert.deepEqual(operator, { name: 'oidc:olga@example.com', role: 'support' });
    client.headers['x-csrf-token'] = csrfToken;
    assert.equal((await client.post('/api/accounts', { email: 'made@example.com' })).status, 201);
    assert.equal((await client.post('/api/markets/BTCEUR/pause')).status, 403);
    const [made, signedIn] = (await audit()).filter(({ actor }) => actor === operator.name);
    assert.equal(made?.action, 'account.create');
    assert.deepEqual(
      [signedIn?.action, signedIn?.details.subject, signedIn?.details.issuer, signedIn?.details.role],
      ['session.create', 'u-17', provider.issuer, 'support'],
    );
    assert.equal((await client.ask('DELETE', '/api/session')).status, 204);
    assert.equal((await client.get('/api/session')).status, 401);
  });

  test('asks with PKCE, a state and a nonce of its own each time, and keeps them from scripts and other sites', async () => {
    const seen = new Set<string>();
    for (let count = 0; count < 2; count++) {
      const { status, location, set } = await new Browser().get(begin());
      const { searchParams } = location!;
      assert.equal(status, 303);
      assert.equal(searchParams.get('code_challenge_method'), 'S256');
      assert.equal(searchParams.get('redirect_uri'), `${base}/console/sign-in/callback`);
      for (const name of ['state', 'nonce', 'code_challenge']) seen.add(searchParams.get(name)!);
      assert.match(
        set[0]!,
        /^mdapi_sign_in=\w{43}\.\w{43}\.\w{43}; Max-Age=600; Path=\/console\/sign-in; HttpOnly; SameSite=Lax$/,
      );
      assert.ok(!location!.href.includes(set[0]!.split(/[.;]/)[2]!), 'the verifier stays here');
    }
    assert.equal(seen.size, 6);
  });

  test('takes an answer once, and only in the browser that asked for it', async () => {
    provider.visitor = olga;
    const browser = new Browser();
    const answer = await browser.follow(begin(), callback);
    const outcomeOf = async (who: Browser, url: URL) => (await who.follow(url, console)).searchParams.get('sign-in');
    assert.equal(await outcomeOf(new Browser(), answer), 'expired', 'another browser');
    const other = new Browser();
    await other.get(begin());
    assert.equal(await outcomeOf(other, answer), 'expired', 'a browser that asked for another');
    const own = browser.cookies.get(new URL(base).host)!;
    const attempt = own.get('mdapi_sign_in')!.split('.');
    const withAttempt = (parts: readonly string[]) => {
      const forged = new Browser();
      forged.cookies.set(new URL(base).host, new Map([['mdapi_sign_in', parts.join('.')]]));
      return forged;
    };
    assert.equal(await outcomeOf(browser, answer), null);
    assert.ok(sessionOf(browser) !== undefined && own.get('mdapi_sign_in') === undefined);
    assert.equal(await outcomeOf(withAttempt(attempt), answer), 'provider', 'a code that was used');
    for (const [index, what] of [
      [1, 'nonce'],
      [2, 'verifier'],
    ] as const) {
      const fresh = new Browser();
      const code = await fresh.follow(begin(), callback);
      const parts = fresh.cookies.get(new URL(base).host)!.get('mdapi_sign_in')!.split('.');
      const forged = withAttempt(parts.with(index, 'x'.repeat(43)));
      assert.equal(await outcomeOf(forged, code), 'provider', what);
      assert.equal(sessionOf(forged), undefined);
    }
  });

  test('refuses whoever has no role, in plain words, and the audit log says who', async () => {
    for (const groups of [undefined, [], ['tennis'], 'tennis', [['staff']], { staff: true }]) {
      service.clock.shift(60_000);
      provider.visitor = { sub: 'u-99', claims: { email: 'x@example.com', email_verified: false, groups } };
      const browser = new Browser();
      assert.equal((await browser.follow(begin(), console)).search, '?sign-in=no-role', JSON.stringify(groups));
      assert.equal(sessionOf(browser), undefined);
    }
    const refused = (await audit()).filter(({ action }) => action === 'session.refuse');
    assert.equal(refused[0]?.summary, 'Refused oidc:u-99, who has no role, from 127.0.0.1.');
    const { claim, found } = refused[0]!.details;
    assert.deepEqual([claim, found], ['groups', 'an object: name its member, as in groups.roles']);
    const logged = service.logged.filter((line) => line.includes('whose claims give no role')).join('\n');
    assert.match(logged, /"claim":"groups","found":"nothing: no such claim in the ID token or UserInfo"/);
    assert.match(logged, /"found":"a list of 1 text, none of which admin\.oidc\.roles has"/);
    assert.doesNotMatch(logged, /tennis|example\.com/);
  });

  test('looks at no further answer once an address has failed ten times in a minute', async () => {
    provider.visitor = { sub: 'u-99' };
    const outcomes = new Set<string>();
    // Two minutes can share the attempts.
    for (let count = 0; count < 21; count++) outcomes.add((await new Browser().follow(begin(), console)).search);
    assert.deepEqual([...outcomes], ['?sign-in=no-role', '?sign-in=too-many']);
  });

  test('says when the provider refuses or does not answer, and logs no secret', async () => {
    service.clock.shift(60_000);
    provider.visitor = { sub: 'u-17', refuses: 'access_denied' };
    assert.equal((await new Browser().follow(begin(), console)).search, '?sign-in=cancelled');
    provider.visitor = olga;
    const browser = new Browser();
    const answer = await browser.follow(begin(), callback);
    provider.stop();
    assert.equal((await browser.follow(answer, console)).search, '?sign-in=provider');
    assert.equal(sessionOf(browser), undefined);
    const logged = service.logged.join('\n');
    assert.match(logged, /a sign-in through the OpenID Connect provider failed/);
    for (const secret of [clientSecret, answer.searchParams.get('code')!, 'olga@example.com'])
      assert.ok(!logged.includes(secret), secret);
  });
});
