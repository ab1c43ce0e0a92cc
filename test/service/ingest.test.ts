import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { describe, type TestContext, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { WebSocket } from 'ws';
import { runInside } from '../../src/cli/cli.testing.ts';
import { market, ticker } from '../../src/feed/push/engine.testing.ts';
import { systemClock } from '../../src/ground/clock.ts';
import { eventually } from '../support/eventually.ts';
import { krakenAt } from '../support/kraken-at.ts';
import { ServiceHarness } from '../support/service-harness.ts';

const settings = { sources: '[{"id":"engine","kind":"push"}]', 'markets.symbols': 'all' };
const example = fileURLToPath(new URL('../../examples/engine-push/engine.ts', import.meta.url));

async function started(t: TestContext, settingsFrom = () => ({})) {
  const harness = await ServiceHarness.start(t, { settings, settingsFrom, untilLive: false });
  const mdapi = (...argv: readonly string[]) =>
    runInside(argv, { cwd: harness.directory, env: { MDAPI_SOURCES: settings.sources }, clock: systemClock });
  const made = await mdapi('sources', 'token', 'engine', '--json');
  assert.equal(made.exitCode, 0, made.stderr);
  const { id, token } = JSON.parse(made.stdout) as { id: string; token: string };
  const url = `${harness.service.adminUrl.replace('http', 'ws')}/ingest/v1`;
  return { harness, mdapi, id, token, url };
}

/** Opens a connection as an engine does; the status of the refusal where there is one. */
async function connect(
  t: TestContext,
  url: string,
  token: string | undefined,
  scheme = 'Bearer',
): Promise<WebSocket | number> {
  const headers = token === undefined ? {} : { Authorization: `${scheme} ${token}` };
  const socket = new WebSocket(url, { headers });
  t.after(() => socket.terminate());
  return new Promise((resolve) => {
    socket.on('error', () => {});
    socket.on('open', () => resolve(socket));
    socket.on('unexpected-response', (request, response) => {
      request.destroy();
      resolve(response.statusCode ?? 0);
    });
  });
}

describe('an engine of the operator', { concurrency: true }, () => {
  test('pushes the prices that clients get, and what is wrong is answered by name (fault row 62)', async (t) => {
    const { harness, token, url } = await started(t);
    const socket = (await connect(t, url, token)) as WebSocket;
    const answers: string[] = [];
    socket.on('message', (data) => answers.push(String(data)));
    const send = (message: object) => socket.send(JSON.stringify(message));
    send({ type: 'hello', protocol: 1, epoch: 1 });
    let seq = 0;
    const snapshot = () => {
      send({ type: 'catalogue', markets: [market('BTC')] });
      send({ type: 'snapshot', phase: 'begin' });
      send(ticker(++seq, 'BTCEUR', harness.clock.now()));
      send({ type: 'snapshot', phase: 'end' });
    };
    snapshot();
    const beat = setInterval(() => {
      send({ type: 'heartbeat', lastSeq: seq });
      send(ticker(++seq, 'BTCEUR', harness.clock.now()));
    }, 300);
    t.after(() => clearInterval(beat));
    socket.on('message', (data) => {
      if (String(data).includes('"resync"')) snapshot();
    });
    await eventually('a price', async () => (await harness.api.outcome('/v1/tickers')) === '200');
    await eventually('the price', async () => (await harness.api.tickers()).get('BTCEUR')?.buyPrice === '50250.2');
    assert.equal((await harness.api.tickers()).get('BTCEUR')?.volume24h, '12.50000000');
    send(ticker(++seq, 'DOGEEUR', harness.clock.now()));
    await eventually('the refusal', () => answers.some((text) => text.includes('"UNKNOWN_SYMBOL"')));
    await eventually('the acknowledgement', () => answers.some((text) => text.includes('"ack"')));
    await harness.untilTicker('operational');
    assert.ok(!harness.logged.some((line) => line.includes(token)), 'no secret in the log');
  });

  test('is told to connect again when its source is paused or goes, and gets in once it may', async (t) => {
    let written = settings.sources;
    const { harness, token, url } = await started(t, () => ({ sources: written }));
    const { restUrl, wsUrl } = harness.simulator;
    const kraken = krakenAt(restUrl, wsUrl);
    const engine = { id: 'engine', kind: 'push' };
    for (const sources of [[{ ...engine, paused: true }, kraken], [kraken]]) {
      const socket = (await connect(t, url, token)) as WebSocket;
      const ended = once(socket, 'close');
      written = JSON.stringify(sources);
      await harness.service.reload();
      assert.equal((await ended)[0], 1013);
      assert.equal(await connect(t, url, token), 409);
      written = JSON.stringify([engine, kraken]);
      await harness.service.reload();
    }
    assert.ok((await connect(t, url, token)) instanceof WebSocket);
  });

  test('is let in whatever the case of the scheme, and is shut out by the silent connections of its own token alone (fault row 77)', async (t) => {
    const { mdapi, token, url } = await started(t);
    const { token: other } = JSON.parse((await mdapi('sources', 'token', 'engine', '--json')).stdout) as {
      token: string;
    };
    const opened = await Promise.all(Array.from({ length: 12 }, () => connect(t, url, token, 'bearer')));
    assert.equal(opened.filter((socket) => socket === 503).length, 4);
    const socket = await connect(t, url, other, 'BEARER');
    assert.ok(socket instanceof WebSocket);
    for (const each of opened) if (each instanceof WebSocket) each.terminate();
    await eventually('room', async () => (await connect(t, url, token)) instanceof WebSocket);
  });

  test('is not shut out by an epoch whose token was revoked (fault row 77)', async (t) => {
    const { mdapi, id, token, url } = await started(t);
    const { token: other } = JSON.parse((await mdapi('sources', 'token', 'engine', '--json')).stdout) as {
      token: string;
    };
    const hello = async (own: string, epoch: number) => {
      const socket = (await connect(t, url, own)) as WebSocket;
      socket.send(JSON.stringify({ type: 'hello', protocol: 1, epoch }));
      const [first] = (await once(socket, 'message')) as [Buffer];
      return String(first);
    };
    assert.match(await hello(token, Number.MAX_SAFE_INTEGER), /resync/);
    assert.match(await hello(other, 1), /FENCED/);
    assert.equal((await mdapi('sources', 'revoke', id, '--yes')).exitCode, 0);
    assert.match(await hello(other, 1), /resync/);
  });

  test('is let in with a token of its source alone, and out within a second of its end', async (t) => {
    const { harness, mdapi, id, token, url } = await started(t);
    assert.equal(await connect(t, url, undefined), 401);
    assert.equal(await connect(t, url, `${token.slice(0, -1)}x`), 401);
    assert.equal(await connect(t, url.replace('/ingest/v1', '/other'), token), 404);
    const socket = (await connect(t, url, token)) as WebSocket;
    const ended = once(socket, 'close');
    const revoked = await mdapi('sources', 'revoke', id, '--yes', '--json');
    assert.equal(JSON.parse(revoked.stdout).state, 'revoked');
    assert.equal((await ended)[0], 4005);
    assert.equal(await connect(t, url, token), 401);
    const listed = await mdapi('sources', 'tokens');
    assert.match(listed.stdout, /^ID +SOURCE +STATE +CREATED\ntok_\w+ +engine +revoked /);
    const unknown = await mdapi('sources', 'token', 'kraken');
    assert.deepEqual([unknown.exitCode, unknown.stderr.includes('Of kind push are engine.')], [4, true]);
    const page = { limit: 10, after: undefined, subjectId: id };
    const { items } = await harness.withStore((store) => store.audit.page(page));
    assert.deepEqual(
      items.map(({ action }) => action),
      ['source_token.revoke', 'source_token.create'],
    );
  });

  test('can be the forty lines of the example', async (t) => {
    const { harness, token, url } = await started(t);
    const engine = spawn(process.execPath, [example, url], { env: { SOURCE_TOKEN: token }, stdio: 'ignore' });
    t.after(() => engine.kill());
    await eventually('a price', async () => (await harness.api.outcome('/v1/tickers')) === '200');
    await eventually('both prices, and those made from them', async () => (await harness.api.tickers()).size === 4);
    const first = (await harness.api.tickers()).get('ETHEUR')?.timestampMs ?? 0;
    await eventually('they go on', async () => ((await harness.api.tickers()).get('ETHEUR')?.timestampMs ?? 0) > first);
  });
});
