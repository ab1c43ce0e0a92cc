import assert from 'node:assert/strict';
import { get } from 'node:http';
import { after, before, describe, test } from 'node:test';
import { generateToken, tokenDigest } from '../../src/access/operator-token.ts';
import { type EpochMs, systemRandomness } from '../../src/ground/clock.ts';
import { operations } from '../../src/management/operations.ts';
import { isRole, type Role, roles } from '../../src/operator/role.ts';
import { eventually } from '../support/eventually.ts';
import { exchange } from '../support/http-client.ts';
import { ManagementClient } from '../support/management-client.ts';
import { ServiceHarness } from '../support/service-harness.ts';

const configured = 'a-configured-token-of-good-length';

interface Session {
  readonly operator: { readonly name: string; readonly role: string };
  readonly csrfToken: string;
  readonly expiresAtMs: number;
}
interface Problem {
  readonly code: string;
  readonly detail: string;
  readonly errors?: readonly { readonly field: string; readonly message: string }[];
}
interface Entries {
  readonly entries: readonly {
    readonly actor: string;
    readonly action: string;
    readonly details: Readonly<Record<string, unknown>>;
  }[];
}

describe('access to the management API', () => {
  const cleanups: (() => unknown)[] = [];
  let service: ServiceHarness;
  /** Every secret of these tests, none of which may stand anywhere. */
  const secrets: string[] = [configured];
  let names = 0;
  before(async () => {
    const settings = {
      'admin.token': configured,
      'admin.hosts': 'admin.example.com',
      'server.trustedProxies': '127.0.0.1',
    };
    service = await ServiceHarness.start({ after: (run) => cleanups.push(run as () => unknown) }, { settings });
  });
  after(async () => {
    const audit = JSON.stringify((await client(configured).get('/api/audit?limit=200')).body);
    const logged = service.logged.join('\n');
    for (const secret of secrets)
      assert.ok(!audit.includes(secret) && !logged.includes(secret), 'no secret is written down');
    for (const run of cleanups) await run();
  });

  const client = (token: string) => ManagementClient.withToken(service.service.adminUrl, token);
  const nobody = (headers: Record<string, string> = {}) => new ManagementClient(service.service.adminUrl, headers);

  async function newToken(
    expiresAt?: number,
    role: Role = 'admin',
  ): Promise<{ id: string; name: string; token: string }> {
    const token = generateToken('operator', systemRandomness);
    secrets.push(token);
    const name = `operator ${++names}`;
    return service.withStore(async ({ tokens }) => {
      const { id } = await tokens.insert({
        digest: tokenDigest(token),
        role,
        name,
        expiresAt: expiresAt as EpochMs | undefined,
      });
      return { id, name, token };
    });
  }

  /** A browser that has signed in. */
  async function signedIn(token: string): Promise<{ browser: ManagementClient; session: Session; cookie: string }> {
    const answer = await nobody().post<Session>('/api/session', { token });
    assert.equal(answer.status, 201);
    const [cookie = ''] = answer.headers['set-cookie'] ?? [];
    const pair = cookie.split(';')[0]!;
    secrets.push(pair.split('=')[1]!, answer.body.csrfToken);
    const headers = { cookie: pair, 'x-csrf-token': answer.body.csrfToken, origin: service.service.adminUrl };
    return { browser: nobody(headers), session: answer.body, cookie };
  }

  test('without a token or a session every operation but the descriptions is 401', async () => {
    for (const path of ['overview', 'markets', 'accounts', 'keys', 'audit', 'tokens', 'session']) {
      const { status, body } = await nobody().get<Problem>(`/api/${path}`);
      assert.deepEqual([status, body.code], [401, 'NOT_SIGNED_IN'], path);
    }
    assert.equal((await nobody().post<Problem>('/api/accounts', { email: 'a@b.c' })).body.code, 'NOT_SIGNED_IN');
    assert.equal((await nobody().get('/api/openapi.json')).status, 200);
    const head = await fetch(`${service.service.adminUrl}/api/overview`, {
      method: 'HEAD',
      headers: { Connection: 'close' },
    });
    assert.equal(head.status, 401);
  });

  test('a made token works until it is revoked or expires, and notes when it was used', async () => {
    const { id, name, token } = await newToken(service.clock.now() + 3_600_000);
    assert.equal((await client(token).get('/api/overview')).status, 200);
    const { tokens } = (
      await client(token).get<{ tokens: { id: string; name: string; lastUsedAtMs: number }[] }>('/api/tokens')
    ).body;
    const own = tokens.find((one) => one.id === id);
    assert.ok(own?.name === name && Math.abs(own.lastUsedAtMs - service.clock.now()) < 60_000);
    await service.withStore((store) => store.tokens.revoke(id));
    assert.equal((await client(token).get<Problem>('/api/overview')).body.code, 'INVALID_TOKEN');

    const short = await newToken(service.clock.now() + 600_000);
    assert.equal((await client(short.token).get('/api/overview')).status, 200);
    service.clock.shift(600_000);
    assert.equal((await client(short.token).get<Problem>('/api/overview')).body.code, 'INVALID_TOKEN');
  });

  test('every operation refuses whoever has a lesser role than it declares, before it looks at anything, and nobody else', async () => {
    const made = await Promise.all(roles.map((role) => newToken(undefined, role)));
    for (const { method, path, operationId, access } of operations.filter(({ path }) => path !== '/api/session')) {
      if (!isRole(access)) continue;
      for (const [index, role] of roles.entries()) {
        const { status, body } = await client(made[index]!.token).ask<Problem>(
          method,
          path.replaceAll(/:\w+/g, 'none'),
        );
        const isRefused = status === 403 && body.code === 'ROLE_REQUIRED';
        assert.equal(isRefused, index < roles.indexOf(access), `${operationId} by ${role}: ${status}`);
        if (isRefused)
          assert.equal(body.detail, `This needs the role ${access}; ${made[index]!.name} has the role ${role}.`);
      }
    }
    const { browser } = await signedIn(made[roles.indexOf('support')]!.token);
    assert.equal(
      (await browser.post<Problem>('/api/tokens', { name: 'more', role: 'admin' })).body.code,
      'ROLE_REQUIRED',
    );
    assert.equal((await browser.post('/api/accounts', { email: 'support@example.com' })).status, 201);
  });

  test('an admin makes and revokes tokens, which work at once with their role; the audit log names both', async () => {
    const admin = client(configured);
    const made = await admin.post<{ token: { id: string }; text: string }>('/api/tokens', {
      name: 'zoe',
      role: 'support',
    });
    assert.equal(made.status, 201);
    secrets.push(made.body.text);
    const { id } = made.body.token;
    const { browser, session } = await signedIn(made.body.text);
    assert.deepEqual(session.operator, { name: 'zoe', role: 'support' });
    assert.equal((await admin.post<Problem>('/api/tokens', { name: 'zoe', role: 'admin' })).body.code, 'CONFLICT');
    assert.equal((await admin.post<Problem>('/api/tokens', { name: 'yva', role: 'root' })).body.code, 'INVALID_INPUT');
    assert.equal((await admin.post(`/api/tokens/${id}/revoke`)).status, 200);
    assert.equal((await browser.get<Problem>('/api/session')).body.code, 'SESSION_EXPIRED');
    const { entries } = (await admin.get<Entries>(`/api/audit?subject=${id}`)).body;
    assert.deepEqual(
      entries.map(({ actor, action, details }) => [actor, action, details.role]),
      [
        ['configuration', 'token.revoke', undefined],
        ['configuration', 'token.create', 'support'],
      ],
    );
  });

  test('a session has a strict cookie that scripts cannot read, and is for this browser alone', async () => {
    const { name, token } = await newToken();
    const { browser, session, cookie } = await signedIn(token);
    assert.match(cookie, /^mdapi_session=[0-9A-Za-z]{32}; Max-Age=43200; Path=\/; HttpOnly; SameSite=Strict$/);
    assert.equal(session.operator.name, name);
    assert.deepEqual((await browser.get<Session>('/api/session')).body, session);
    assert.equal(
      (await nobody({ cookie: 'mdapi_session=0123456789abcdefghijABCDEFGHIJ01' }).get<Problem>('/api/session')).body
        .code,
      'NOT_SIGNED_IN',
    );
    const overTls = await nobody({ 'x-forwarded-proto': 'https' }).post('/api/session', { token });
    assert.match(overTls.headers['set-cookie']?.[0] ?? '', /; Secure/);

    const out = await browser.ask('DELETE', '/api/session');
    assert.equal(out.status, 204);
    assert.match(out.headers['set-cookie']?.[0] ?? '', /^mdapi_session=;.*Expires=Thu, 01 Jan 1970/);
    assert.equal((await browser.get<Problem>('/api/session')).body.code, 'NOT_SIGNED_IN');
  });

  test('a session ends after its time, and at once with its token', async () => {
    const { id, token } = await newToken();
    const first = await signedIn(token);
    service.clock.shift(12 * 3_600_000 - 60_000);
    assert.equal((await first.browser.get('/api/session')).status, 200);
    service.clock.shift(60_000);
    assert.equal((await first.browser.get<Problem>('/api/session')).body.code, 'SESSION_EXPIRED');
    assert.equal((await first.browser.get<Problem>('/api/session')).body.code, 'NOT_SIGNED_IN');

    const second = await signedIn(token);
    const third = await signedIn(token);
    await service.withStore((store) => store.tokens.revoke(id));
    assert.equal((await second.browser.get<Problem>('/api/overview')).body.code, 'SESSION_EXPIRED');
    assert.equal((await third.browser.get('/api/overview')).status, 401);
  });

  test('a change that another site’s page sends with the cookie is refused, and nothing changes', async () => {
    const { browser, session } = await signedIn((await newToken()).token);
    const host = new URL(service.service.adminUrl).host;
    const { cookie } = browser.headers as { cookie: string };
    const origin = `http://${host}`;
    const csrf = { cookie, 'x-csrf-token': session.csrfToken };
    const attacks: readonly Record<string, string>[] = [
      { cookie, origin },
      { cookie, origin, 'x-csrf-token': '' },
      { cookie, origin, 'x-csrf-token': 'x'.repeat(32) },
      csrf,
      { ...csrf, 'sec-fetch-site': 'same-origin' },
      { ...csrf, origin: `https://${host}` },
      { ...csrf, origin, 'x-forwarded-proto': 'https' },
      { ...csrf, origin: 'https://evil.example' },
      { ...csrf, origin: 'null' },
      { ...csrf, origin: 'http://127.0.0.1:1' },
      { ...csrf, origin: `http://${host}.evil.example` },
      { ...csrf, origin: `https://${host.split(':')[0]}` },
      { ...csrf, origin, 'sec-fetch-site': 'cross-site' },
      { ...csrf, origin, 'sec-fetch-site': 'same-site' },
    ];
    for (const headers of attacks) {
      const { status, body } = await nobody(headers).post<Problem>('/api/accounts', { email: 'csrf@example.com' });
      assert.deepEqual([status, body.code], [403, 'CSRF'], JSON.stringify(headers));
    }
    for (const headers of [{ origin: 'https://evil.example' }, { 'sec-fetch-site': 'cross-site' }] as Record<
      string,
      string
    >[]) {
      assert.equal((await nobody(headers).post<Problem>('/api/session', { token: configured })).body.code, 'CSRF');
    }
    const found = await browser.get<{ accounts: object[] }>('/api/accounts?query=csrf@');
    assert.deepEqual(found.body.accounts, []);
    const own = { ...csrf, origin, 'sec-fetch-site': 'same-origin' };
    assert.equal((await nobody(own).post('/api/accounts', { email: 'csrf@example.com' })).status, 201);
  });

  test('on every path but those of probes a request for another host’s name is refused whoever asks, so that no name can be rebound to this listener', async () => {
    const { port } = new URL(service.service.adminUrl);
    const { browser } = await signedIn((await newToken()).token);
    for (const host of [
      'evil.example',
      `evil.example:${port}`,
      '127.0.0.1.evil.example',
      '10.0.0.1',
      'localhost.evil.example',
      'a b',
      '127.0.0.1@evil.example',
    ]) {
      for (const asking of [browser, client(configured), nobody()]) {
        const { status, body } = await asking.get<Problem>('/api/overview', { headers: { host } });
        assert.deepEqual([status, body.code], [421, 'HOST_NOT_ALLOWED'], host);
      }
      const signIn = await nobody().post<Problem>('/api/session', { token: configured }, { headers: { host } });
      assert.equal(signIn.body.code, 'HOST_NOT_ALLOWED', host);
      for (const path of ['/metrics', '/board', '/prices/BTCEUR', '/console/', '/console/main.js', '/', '/none']) {
        const { status, body } = await nobody().get<Problem>(path, { headers: { host } });
        assert.deepEqual([status, body.code], [421, 'HOST_NOT_ALLOWED'], `${path} of ${host}`);
      }
      for (const path of ['/livez', '/readyz?probe']) assert.equal(await statusOf(path, host), 200, path);
    }
    for (const host of [
      'localhost',
      `localhost:${port}`,
      '127.0.0.1',
      `[::1]:${port}`,
      'ADMIN.example.com',
      'admin.example.com:443',
    ]) {
      assert.equal((await browser.get('/api/overview', { headers: { host } })).status, 200, host);
    }
  });

  const statusOf = (path: string, host: string) =>
    new Promise<number | undefined>((resolve, reject) => {
      get(service.service.adminUrl + path, { headers: { host }, agent: false }, (response) => {
        response.resume();
        resolve(response.statusCode);
      }).once('error', reject);
    });

  test('wrong tokens are refused ten times a minute and address, then not looked at; a made token still opens', async () => {
    const { token } = await newToken();
    for (;;) {
      const minute = Math.floor(service.clock.now() / 60_000);
      const from = { 'x-forwarded-for': `203.0.113.${minute % 250}` };
      const codes: string[] = [];
      for (let count = 0; count < 11; count++) {
        const wrong = await nobody(from).post<Problem>('/api/session', { token: `${configured}${count}` });
        codes.push(wrong.body.code);
        if (wrong.status === 429) assert.ok(Number(wrong.headers['retry-after']) <= 60);
      }
      const right = await nobody(from).post<Problem>('/api/session', { token: configured });
      const made = await nobody({ ...from, authorization: `Bearer ${token}` }).get('/api/overview');
      const elsewhere = await nobody({ 'x-forwarded-for': '198.51.100.7' }).post('/api/session', { token: configured });
      if (Math.floor(service.clock.now() / 60_000) !== minute) continue;
      assert.deepEqual(codes, [...Array(10).fill('INVALID_TOKEN'), 'TOO_MANY_ATTEMPTS']);
      assert.deepEqual([right.status, made.status, elsewhere.status], [429, 200, 201]);
      break;
    }
    const metrics = await service.metrics();
    assert.ok(metrics.value('mdapi_management_sign_in_failures_total') >= 12);
    assert.ok(metrics.value('mdapi_management_sign_ins_total') >= 1);
    assert.ok(metrics.value('mdapi_management_sessions') >= 1);
    assert.ok(metrics.value('mdapi_management_requests_total', { operation: 'signIn', status: '401' }) >= 10);
  });

  test('sign-ins, sign-outs and refused tokens are in the audit log; a flood of refusals is not', async () => {
    const { id, name, token } = await newToken();
    const { browser } = await signedIn(token);
    await browser.ask('DELETE', '/api/session');
    await service.withStore((store) => store.tokens.revoke(id));
    await client(token).get('/api/overview');
    const own = async () => (await client(configured).get<Entries>('/api/audit?limit=200')).body.entries;
    const entries = await own();
    assert.deepEqual(
      entries.filter(({ actor }) => actor === name).map(({ action }) => action),
      ['session.end', 'session.create'],
    );
    const refused = entries.find(({ action }) => action === 'session.refuse');
    assert.deepEqual(
      [refused?.actor, refused?.details.address, refused?.details.purpose],
      ['unknown', '127.0.0.1', 'readOverview'],
    );

    for (let count = 0; count < 80; count++) {
      await nobody({ 'x-forwarded-for': `192.0.2.${count}` }).post('/api/session', {
        token: 'wrong-but-long-enough-for-one',
      });
    }
    const refusals = (await own()).filter(({ action }) => action === 'session.refuse');
    assert.ok(refusals.length <= 60, `${refusals.length} entries`);
  });

  test('what cannot be understood is a problem that names the field and the remedy', async () => {
    const operator = client(configured);
    const wrong: readonly (readonly [
      method: string,
      path: string,
      asking: object,
      status: number,
      code: string,
      fields?: readonly string[],
    ])[] = [
      ['GET', '/api/none', {}, 404, 'NOT_FOUND'],
      ['GET', '/none', {}, 404, 'NOT_FOUND'],
      ['PUT', '/api/accounts', {}, 405, 'METHOD_NOT_ALLOWED'],
      ['DELETE', '/api/overview', {}, 405, 'METHOD_NOT_ALLOWED'],
      ['POST', '/api/accounts', { raw: '{' }, 400, 'INVALID_INPUT'],
      ['POST', '/api/accounts', { raw: '{"__proto__": {"email": "a@b.c"}}' }, 400, 'INVALID_INPUT'],
      ['POST', '/api/accounts', {}, 400, 'INVALID_INPUT', ['email']],
      ['POST', '/api/accounts', { body: [] }, 400, 'INVALID_INPUT', ['']],
      ['POST', '/api/accounts', { body: { email: 3, age: 4 } }, 400, 'INVALID_INPUT', ['age', 'email']],
      ['POST', '/api/accounts', { body: { email: 'no address' } }, 400, 'INVALID_INPUT', ['email']],
      ['POST', '/api/accounts', { body: { email: 'a\u202e@b.c' } }, 400, 'INVALID_INPUT', ['email']],
      [
        'POST',
        '/api/accounts',
        { raw: 'email=a', headers: { 'content-type': 'application/x-www-form-urlencoded' } },
        415,
        'UNSUPPORTED_MEDIA_TYPE',
      ],
      [
        'POST',
        '/api/accounts',
        { raw: '{"email":"a@b.c"}', headers: { 'content-type': 'text/plain' } },
        415,
        'UNSUPPORTED_MEDIA_TYPE',
      ],
      ['POST', '/api/accounts', { body: { email: 'x'.repeat(70_000) } }, 413, 'PAYLOAD_TOO_LARGE'],
      ['GET', '/api/accounts?limit=0', {}, 400, 'INVALID_INPUT', ['limit']],
      ['GET', '/api/accounts?limit=1e2', {}, 400, 'INVALID_INPUT', ['limit']],
      ['GET', '/api/accounts?after=nonsense', {}, 400, 'INVALID_INPUT', ['after']],
      ['GET', '/api/accounts?limit=1&limit=2', {}, 400, 'INVALID_INPUT', ['limit']],
      ['GET', '/api/keys?statu=active', {}, 400, 'INVALID_INPUT', ['statu']],
      ['GET', '/api/keys?status=open', {}, 400, 'INVALID_INPUT', ['status']],
      ['GET', '/api/keys/key_none/usage', {}, 404, 'NOT_FOUND'],
      ['GET', '/api/keys/%zz/usage', {}, 400, 'INVALID_INPUT'],
      ['POST', '/api/keys', { body: { accountId: 'acc_none' } }, 404, 'NOT_FOUND'],
      [
        'POST',
        '/api/keys',
        { body: { accountId: 'acc_1', limitPerMinute: 0, expiresAtMs: 1.5 } },
        400,
        'INVALID_INPUT',
        ['expiresAtMs', 'limitPerMinute'],
      ],
      ['POST', '/api/maintenance', { body: { fromMs: 2, toMs: 1, description: 'x' } }, 400, 'INVALID_INPUT', ['toMs']],
      [
        'POST',
        '/api/maintenance/preview',
        { body: { fromMs: 1, toMs: 2, description: 'x' } },
        400,
        'INVALID_INPUT',
        ['toMs'],
      ],
      [
        'POST',
        '/api/maintenance',
        { body: { fromMs: 1, toMs: 2, description: 'two\nlines' } },
        400,
        'INVALID_INPUT',
        ['description'],
      ],
    ];
    for (const [method, path, asking, status, code, fields] of wrong) {
      const answer = await operator.ask<Problem>(method, path, asking);
      const where = `${method} ${path} ${JSON.stringify(asking).slice(0, 80)}: ${JSON.stringify(answer.body)}`;
      assert.deepEqual([answer.status, answer.body.code], [status, code], where);
      if (fields !== undefined)
        assert.deepEqual(answer.body.errors?.map(({ field }) => field).sort(), [...fields], where);
      if (status === 405) assert.match(String(answer.headers.allow), /GET/);
    }
  });

  test('what is no HTTP at all is answered and the connection ends', async () => {
    const port = Number(new URL(service.service.adminUrl).port);
    const statusOf = async (bytes: string) => (await exchange(port, bytes)).responses.map(({ status }) => status);
    assert.deepEqual(await statusOf('nonsense\r\n\r\n'), [400]);
    const authorization = `Authorization: Bearer ${configured}`;
    assert.deepEqual(await statusOf(`GET /api/overview HTTP/1.0\r\n${authorization}\r\n\r\n`), [421]);
  });

  test('health and metrics need no sign-in, and no such name has to be known', async () => {
    for (const path of ['/livez', '/readyz', '/metrics', '/board', '/prices/BTCEUR']) {
      assert.equal((await service.admin(path)).status, 200, path);
    }
    await eventually('the service is ready', async () => (await service.admin('/readyz')).ok);
  });
});
