import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { eventually } from '../../test/support/eventually.ts';
import { FakeClock } from '../../test/support/fake-clock.ts';
import { renewedTls, tlsTexts } from '../../test/support/tls-files.ts';
import { silentLog } from '../ground/log.ts';
import { readCertificate, watchCertificate } from './certificate.ts';
import type { Certificate } from './http-server.ts';

const minuteMs = 60_000;

async function watched(t: TestContext) {
  const directory = mkdtempSync(join(tmpdir(), 'certificate-'));
  t.after(() => rmSync(directory, { recursive: true }));
  const files = { certFile: join(directory, 'cert.pem'), keyFile: join(directory, 'key.pem') };
  const write = ({ cert, key }: Partial<Certificate>) => {
    if (cert !== undefined) writeFileSync(files.certFile, cert);
    if (key !== undefined) writeFileSync(files.keyFile, key);
  };
  write(tlsTexts);
  const clock = new FakeClock();
  const served: Certificate[] = [];
  const logged: string[] = [];
  const log = {
    ...silentLog,
    info: (fields: object, message: string) => logged.push(`${message} ${JSON.stringify(fields)}`),
    warn: (fields: object, message: string) => logged.push(`${message} ${String((fields as { err: unknown }).err)}`),
  };
  watchCertificate(files, await readCertificate(files), { clock, log }, (found) => served.push(found));
  /** Lets a minute pass, and the look that it brings end: it reads two small files. */
  const look = async (until?: () => boolean) => {
    await clock.advance(minuteMs);
    if (until !== undefined) await eventually('the look ended', until);
    else for (let turn = 0; turn < 20; turn++) await readCertificate(files).catch(() => {});
  };
  return { write, files, served, logged, look };
}

test('a renewed pair is served within a minute, once, and the log says until when it is valid', async (t) => {
  const { write, served, logged, look } = await watched(t);
  await look();
  write(renewedTls);
  await look(() => served.length > 0);
  await look();
  assert.deepEqual(served, [renewedTls]);
  assert.equal(logged.length, 1);
  assert.match(logged[0]!, /renewed .*2126-/);
  assert.ok(!logged.join().includes('PRIVATE KEY'));
});

test('files that do not fit together or are gone are not served; it is logged once, if they are still so a minute later', async (t) => {
  const { write, files, served, logged, look } = await watched(t);
  write({ cert: renewedTls.cert });
  await look();
  assert.deepEqual(logged, [], 'the key may be written in this moment');
  await look(() => logged.length === 1);
  await look();
  assert.equal(logged.length, 1);
  assert.match(logged[0]!, /the one before stays in use/);
  rmSync(files.keyFile);
  await look();
  await look(() => logged.length === 2);
  assert.match(logged[1]!, /ENOENT/);
  assert.deepEqual(served, []);
  write(renewedTls);
  await look(() => served.length > 0);
  assert.deepEqual(served, [renewedTls]);
  assert.ok(!logged.join().includes('PRIVATE KEY'));
});
