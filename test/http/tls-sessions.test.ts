import assert from 'node:assert/strict';
import { describe, type TestContext, test } from 'node:test';
import type { SecureVersion } from 'node:tls';
import { systemClock } from '../../src/ground/clock.ts';
import type { Certificate } from '../../src/http/http-server.ts';
import { TicketKeys, type TicketKeysParts } from '../../src/http/ticket-keys.ts';
import { openFixture, type StoreFixture } from '../../src/store/store.testing.ts';
import { seededRandomness } from '../support/fake-clock.ts';
import { ListenerHarness } from '../support/listener-harness.ts';
import { renewedTls, tlsTexts } from '../support/tls-files.ts';
import { visit } from '../support/tls-visit.ts';

const rotateAfterMs = 12 * 3_600_000;
const minuteMs = 60_000;
let seed = 0;

/** A listener with the keys that its process derives, on a connection of its own to the database. */
async function startProcess(t: TestContext, fixture: StoreFixture, shared?: TicketKeysParts['shared']) {
  const api = await ListenerHarness.start({ clock: systemClock, tls: tlsTexts });
  let certificate: Certificate = tlsTexts;
  const logged: string[] = [];
  const log = (fields: object, message: string) =>
    logged.push(`${message}: ${(fields as { err?: Error }).err?.message}`);
  const parts = {
    shared: shared ?? (await fixture.openAnother()).snapshots,
    clock: fixture.clock,
    randomness: seededRandomness(++seed),
    log: { debug: log, info: log, warn: log, error: log },
  };
  const serve = () => api.listener.renewCertificate({ ...certificate, ticketKeys: keys.for(certificate.key) });
  const keys = new TicketKeys(parts, serve);
  await keys.start();
  const stop = async () => {
    keys.stop();
    await api.stop();
  };
  t.after(stop);
  const renew = (renewed: Certificate) => {
    certificate = renewed;
    serve();
  };
  return { api, keys, logged, renew, stop };
}

type Process = Awaited<ReturnType<typeof startProcess>>;

async function isResumed(process: Process, session: Buffer, version?: SecureVersion): Promise<boolean> {
  return (await visit(process.api.port, session, version)).isResumed;
}

describe('TLS sessions', { concurrency: true }, () => {
  test('a client resumes its session with another process and after a restart, in TLS 1.2 and 1.3', async (t) => {
    const fixture = await openFixture(t);
    const [one, two] = [await startProcess(t, fixture), await startProcess(t, fixture)];
    for (const version of ['TLSv1.3', 'TLSv1.2'] as const) {
      const first = await visit(one.api.port, undefined, version);
      assert.equal(first.isResumed, false);
      assert.equal(await isResumed(two, first.session, version), true);
    }
    const { session } = await visit(one.api.port);
    await Promise.all([one.stop(), two.stop()]);
    assert.equal(await isResumed(await startProcess(t, fixture), session), true);
  });

  test('after 12 hours every process has other keys, with which older sessions are not resumed, and the secret before is gone', async (t) => {
    const fixture = await openFixture(t);
    const [one, two] = [await startProcess(t, fixture), await startProcess(t, fixture)];
    const stored = async () => (await fixture.store.snapshots.load('tls tickets'))?.payload;
    const { session } = await visit(one.api.port);
    const before = await stored();
    await fixture.clock.advance(rotateAfterMs - minuteMs);
    assert.equal(await isResumed(two, session), true);
    await fixture.clock.advance(minuteMs);
    assert.notEqual(await stored(), before);
    for (const process of [one, two]) assert.equal(await isResumed(process, session), false);
    assert.equal(await isResumed(two, (await visit(one.api.port)).session), true);
    fixture.clock.jump(-3 * rotateAfterMs);
    const kept = (await visit(one.api.port)).session;
    await fixture.clock.advance(minuteMs);
    assert.equal(await isResumed(one, kept), false, 'a secret from the future would otherwise stay');
    assert.deepEqual([...one.logged, ...two.logged], []);
  });

  test('sessions outlast a renewed certificate with the same key, and end with another key', async (t) => {
    const fixture = await openFixture(t);
    const process = await startProcess(t, fixture);
    const { session } = await visit(process.api.port);
    process.renew({ ...tlsTexts });
    assert.equal(await isResumed(process, session), true);
    process.renew(renewedTls);
    assert.equal(await isResumed(process, session), false);
  });

  test('the secret alone gives no key: another private key makes another of it, another notation of the same key does not', async (t) => {
    const { keys } = await startProcess(t, await openFixture(t));
    assert.equal(keys.for(tlsTexts.key)?.length, 48);
    assert.notDeepEqual(keys.for(tlsTexts.key), keys.for(renewedTls.key));
    assert.deepEqual(keys.for(tlsTexts.key), keys.for(tlsTexts.key.replaceAll('\n', '\r\n')));
  });

  test('while the store does not answer, sessions are resumed within the process; it is logged once, and tried each minute', async (t) => {
    const fixture = await openFixture(t);
    let isDown = true;
    const process = await startProcess(t, fixture, {
      load: (name) => (isDown ? Promise.reject(new Error('no answer')) : fixture.store.snapshots.load(name)),
      save: (...given) => fixture.store.snapshots.save(...given),
    });
    const { session } = await visit(process.api.port);
    await fixture.clock.advance(minuteMs);
    assert.equal(await isResumed(process, session), true);
    assert.deepEqual(process.logged, ['the keys of TLS session tickets cannot be renewed: no answer']);
    isDown = false;
    await fixture.clock.advance(minuteMs);
    const other = await startProcess(t, fixture);
    assert.equal(await isResumed(other, (await visit(process.api.port)).session), true);
  });
});
