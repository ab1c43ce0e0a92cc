import assert from 'node:assert/strict';
import { test } from 'node:test';
import { connect } from 'node:tls';
import { eventually } from '../support/eventually.ts';
import { PoolHarness } from '../support/pool-harness.ts';
import { renewedTls, tlsTexts } from '../support/tls-files.ts';

test('a renewed certificate is shown by every worker, also by one that takes the place of another', async (t) => {
  const { pool, port } = await PoolHarness.start(t, { MDAPI_SERVER_WORKERS: '2' }, tlsTexts);
  const shown = async () => {
    const socket = connect({ port, host: '127.0.0.1', servername: 'localhost', ca: tlsTexts.authority });
    await eventually('a connection', () => socket.authorized);
    const certificate = socket.getPeerX509Certificate()?.toString();
    socket.destroy();
    return certificate;
  };
  const shownByMany = async () => new Set(await Promise.all(Array.from({ length: 20 }, shown)));
  assert.deepEqual(await shownByMany(), new Set([tlsTexts.cert]));
  pool.renewCertificate(renewedTls);
  await eventually('all show the new one', async () => {
    const seen = await shownByMany();
    return seen.size === 1 && seen.has(renewedTls.cert);
  });
  await pool.end(0);
  await eventually('it is replaced', () => pool.figures().serving === 2 && pool.figures().restarts === 1);
  assert.deepEqual(await shownByMany(), new Set([renewedTls.cert]));
});
