import assert from 'node:assert/strict';
import { test } from 'node:test';
import { seededRandomness } from '../support/fake-clock.ts';
import { openSocket, readToEnd, splitResponses } from '../support/http-client.ts';
import type { ListenerHarness } from '../support/listener-harness.ts';
import { seed, sized } from './full-size.ts';
import { Chooser, inParts, mutated } from './mutations.ts';
import { assertRecovered, assertSound, startHealthy } from './oracle.ts';

const casesPerBatch = 50;

/**
 * Sends what `make` makes, each on a connection of its own, and judges every answer. After each batch
 * a healthy client must be answered promptly. A failure names the case and its bytes.
 */
async function fuzz(
  api: ListenerHarness,
  cases: number,
  make: (random: Chooser) => Buffer,
): Promise<Map<number, number>> {
  const statuses = new Map<number, number>();
  for (let start = 0; start < cases; start += casesPerBatch) {
    const batch = Array.from({ length: casesPerBatch }, async (_, index) => {
      const random = new Chooser(seededRandomness(seed + start + index));
      const bytes = make(random);
      const answer = await send(api.port, inParts(bytes, random));
      try {
        const { responses, rest } = splitResponses(answer);
        assert.equal(rest.toString('latin1'), '', 'bytes beyond the last whole answer');
        for (const response of responses) {
          assertSound(response);
          statuses.set(response.status, (statuses.get(response.status) ?? 0) + 1);
        }
      } catch (error) {
        throw new Error(`case ${start + index}: ${JSON.stringify(bytes.toString('latin1'))}`, { cause: error });
      }
    });
    await Promise.all(batch);
    const startedMs = performance.now();
    assert.equal((await api.get('/v1/time')).status, 200);
    assert.ok(performance.now() - startedMs < 1000, 'a healthy client waits less than a second');
  }
  return statuses;
}

/** Writes the parts one by one and then ends; gives all that comes back until the server closes. */
async function send(port: number, parts: readonly Buffer[]): Promise<Buffer> {
  const socket = await openSocket(port);
  const end = readToEnd(socket);
  for (const part of parts) await new Promise((resolve) => socket.write(part, resolve));
  socket.end();
  return end;
}

test(`mutated, truncated, spliced and pipelined requests get whole answers of the contract or a clean close (seed ${seed})`, async (t) => {
  const api = await startHealthy();
  t.after(() => api.stop());
  const keepAlive = { Connection: 'keep-alive' };
  const corpus = [
    ...['/v1/time', '/v1/status', '/v1/markets', '/v1/tickers', '/v1/ticker?symbol=BTCEUR', '/v1/nothing'].map(
      (target) => api.requestText(target, { headers: keepAlive }),
    ),
    api.requestText('/', { key: null, headers: { Accept: 'text/html' } }),
    api.requestText('/openapi/v1.json', { key: null, headers: { 'Accept-Encoding': 'zstd, br;q=0.5' } }),
    api.requestText('/v1/tickers', {
      headers: { ...keepAlive, 'If-None-Match': '"a", W/"b"', 'Accept-Encoding': 'gzip' },
    }),
    api.requestText('http://api.example.com/v1/time', { headers: { 'X-Forwarded-For': '1.2.3.4, [::1]:80' } }),
    `${api.requestText('/v1/time', { method: 'POST', headers: { 'Content-Length': '5' } })}hello`,
    `${api.requestText('/v1/time', { method: 'PUT', headers: { 'Transfer-Encoding': 'chunked' } })}5\r\nhello\r\n0\r\n\r\n`,
    api.requestText('/v1/time', { method: 'OPTIONS', headers: { Expect: '100-continue' } }),
    `GET /v1/time HTTP/1.0\r\nX-EXCHANGE-APIKEY: ${api.key}\r\n\r\n`,
  ];
  const statuses = await fuzz(api, sized(2000, 50_000), (random) => mutated(corpus, random));
  t.diagnostic(`answers by status: ${JSON.stringify([...statuses])}`);
  for (const status of [200, 400, 401, 404, 405]) assert.ok(statuses.has(status), `some mutations lead to ${status}`);
  await assertRecovered(api);
});

test(`a request behind a disputed length is never looked at, in whatever way the dispute is written (fault row 5, seed ${seed})`, async (t) => {
  const api = await startHealthy();
  t.after(() => api.stop());
  const victim = api.addKey();
  const hidden = api.requestText('/v1/time', { key: victim, headers: { Connection: 'keep-alive' } });
  const start = `POST /v1/time HTTP/1.1\r\nHost: a\r\nX-EXCHANGE-APIKEY: ${api.key}\r\n`;
  const names = ['Content-Length', 'Transfer-Encoding', 'content-length', 'TRANSFER-ENCODING', 'Content-length'];
  const gaps = [': ', ':', ':\t', ' : ', '\t:', ':\r\n ', ':  ', ':\x0b', ': \xa0', ':\0'];
  const values = [
    ...[
      '1',
      '5',
      '05',
      '+5',
      '-1',
      '5, 5',
      '5,6',
      '5 5',
      '0x5',
      '5;a',
      '5\x0b',
      '1e1',
      '٥',
      '"5"',
      '999999999999999999999',
    ],
    ...['chunked', 'Chunked', 'xchunked', 'chunked, identity', 'identity', 'gzip, chunked', 'chunked;a=b', '"chunked"'],
    ...['chunked,', ', chunked', 'chunked\t', 'chunked\x0b', 'chu\0nked', 'chunked, chunked'],
  ];
  const ends = ['\r\n', '\r\n', '\r\n', '\n', '\r', '\r\n\t\r\n'];
  const bodies = [
    '',
    '0\r\n\r\n',
    '5\r\nhello\r\n0\r\n\r\n',
    '0\n\n',
    '0;a=b\r\n\r\n',
    '00000\r\n\r\n',
    '0 \r\n\r\n',
    'hello',
    '\r\n',
    ' ',
  ];
  const statuses = await fuzz(api, sized(1000, 20_000), (random) => {
    const lines = Array.from({ length: 1 + random.below(3) }, () => {
      return random.of(names) + random.of(gaps) + random.of(values) + random.of(ends);
    });
    return Buffer.from(`${start}${lines.join('')}\r\n${random.of(bodies)}${hidden}`, 'latin1');
  });
  t.diagnostic(`answers by status: ${JSON.stringify([...statuses])}`);
  assert.equal((await api.get('/v1/time', { key: victim })).headers['x-ratelimit-remaining'], '999999');
  await assertRecovered(api);
});
