import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { eventually } from '../../test/support/eventually.ts';
import { FakeClock, seededRandomness } from '../../test/support/fake-clock.ts';
import { silentLog } from '../ground/log.ts';
import { RecordClient } from '../history/query/record-client.ts';
import { withStamps } from '../operator/record-seals.ts';
import { stampedAt, TimeStamper } from './time-stamp.ts';

const head = 'c0ffee'.repeat(11).slice(0, 64);
const seal = { day: '2026-11-21', chain: 1, segment: 4_711, head };

const configuration = `
[tsa]
default_tsa = made
[made]
serial = serial
default_policy = 1.2.3.4.1
digests = sha256
signer_digest = sha256
[extensions]
extendedKeyUsage = critical,timeStamping
[subject]
`;

/** An authority made of OpenSSL, which can be told to answer otherwise. */
async function authority(t: TestContext) {
  const directory = mkdtempSync(join(tmpdir(), 'mdapi-tsa-'));
  t.after(() => rmSync(directory, { recursive: true, force: true }));
  const openssl = (...args: string[]) => execFileSync('openssl', args, { cwd: directory, stdio: 'pipe' });
  writeFileSync(join(directory, 'tsa.cnf'), configuration);
  writeFileSync(join(directory, 'serial'), '01');
  const subject = ['-subj', '/CN=Stand-in authority', '-config', 'tsa.cnf', '-extensions', 'extensions', '-days', '2'];
  openssl('req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-keyout', 'key.pem', '-out', 'tsa.pem', ...subject);
  const queries: Buffer[] = [];
  const answer = { status: 200 };
  const server = createServer(async (request, response) => {
    queries.push(Buffer.concat(await Array.fromAsync(request)));
    writeFileSync(join(directory, 'query'), queries.at(-1)!);
    const signer = ['-signer', 'tsa.pem', '-inkey', 'key.pem', '-config', 'tsa.cnf'];
    openssl('ts', '-reply', '-queryfile', 'query', '-out', 'reply', ...signer);
    response.writeHead(answer.status, { 'Content-Type': 'application/timestamp-reply' });
    response.end(readFileSync(join(directory, 'reply')));
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  t.after(() => server.close());
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/tsr`;
  return { url, directory, openssl, queries, answer };
}

test('the head of a day is stamped, tried again where the authority cannot, and verified offline by us and by OpenSSL', async (t) => {
  const { url, directory, openssl, queries, answer } = await authority(t);
  const clock = new FakeClock();
  const kept: { readonly response: string }[] = [];
  const record = new RecordClient({ kind: 'sqlite', path: join(directory, 'history.sqlite') }, clock);
  t.after(() => record.stop());
  const keep = async (stamp: (typeof kept)[number]) => {
    await record.ask('addEntry', ['stamp', stamp]);
    kept.push(stamp);
  };
  const logged: string[] = [];
  const log = { ...silentLog, warn: (_fields: object, message: string) => void logged.push(message) };
  const stamper = new TimeStamper({ url, clock, randomness: seededRandomness(4), log, keep });
  t.after(() => stamper.stop());
  answer.status = 503;
  stamper.send(seal);
  await eventually('the first attempt has failed', () => logged.length === 1 && clock.pendingTimers === 1);
  answer.status = 200;
  await clock.advance(30_000);
  await eventually('the second succeeds', () => kept.length === 1);
  assert.notDeepEqual(queries[0], queries[1], 'each query has a nonce of its own');
  const { response, ...stamped } = kept[0]!;
  assert.deepEqual(stamped, seal);

  const { stamps = [], finding } = await record.ask('verify', []);
  assert.deepEqual([stamps.length, stamps[0]!.response], [1, response]);
  const cutOff = { chain: 1, number: 4_711, what: 'cut_off', day: '2026-11-21' };
  assert.deepEqual(finding, cutOff, 'a record without the segment that was stamped');

  const bytes = Uint8Array.from(Buffer.from(response, 'base64'));
  assert.ok(Math.abs((await stampedAt(bytes, head)).getTime() - Date.now()) < 3_600_000);
  writeFileSync(join(directory, 'head'), Buffer.from(head, 'hex'));
  writeFileSync(join(directory, 'kept'), bytes);
  const verified = openssl('ts', '-verify', '-data', 'head', '-in', 'kept', '-CAfile', 'tsa.pem');
  assert.match(verified.toString(), /Verification: OK/);

  await assert.rejects(stampedAt(bytes, head.replace('c', 'd')), 'another head');
  await assert.rejects(stampedAt(bytes, head, new Uint8Array(8)), /answers another request/);
  const signature = bytes.with(-9, bytes.at(-9)! ^ 1);
  await assert.rejects(stampedAt(signature, head), 'another signature');
  const found = (stamp: Uint8Array) =>
    withStamps({ finding: undefined, stamps: [{ ...seal, response: Buffer.from(stamp).toString('base64') }] });
  assert.equal((await found(bytes)).finding, undefined);
  assert.deepEqual((await found(signature)).finding, { subject: 'time stamp of 2026-11-21', what: 'changed' });
});

test('an authority that refuses, or stamps something else, gives no stamp', async (t) => {
  const { url, openssl, directory } = await authority(t);
  writeFileSync(join(directory, 'other'), 'other');
  openssl('ts', '-query', '-data', 'other', '-sha256', '-cert', '-out', 'query');
  openssl(
    'ts',
    '-reply',
    '-queryfile',
    'query',
    '-out',
    'reply',
    ...['-signer', 'tsa.pem', '-inkey', 'key.pem', '-config', 'tsa.cnf'],
  );
  await assert.rejects(stampedAt(Uint8Array.from(readFileSync(join(directory, 'reply'))), head));
  const refused = await fetch(url, { method: 'POST', body: 'no query' }).then((answer) => answer.bytes());
  await assert.rejects(stampedAt(refused, head), /refused with status 2/);
});
