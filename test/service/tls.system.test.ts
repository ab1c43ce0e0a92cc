import assert from 'node:assert/strict';
import { before, describe, test } from 'node:test';
import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import { startExchangeSimulator } from '../../exchange-simulator/simulator.ts';
import type { ServiceStatusBody, TickerBody } from '../../src/contract/schemas.ts';
import { eventually } from '../support/eventually.ts';
import { Installation } from '../support/mdapi-process.ts';
import { tlsFiles, tlsTexts } from '../support/tls-files.ts';

describe('`mdapi serve` with a certificate', { concurrency: true }, () => {
  before(() => setDefaultCACertificates([...getCACertificates('default'), tlsTexts.authority]));

  test('serves HTTPS alone, and names itself so', async (t) => {
    const simulator = await startExchangeSimulator({ quotes: ['EUR'], updatesPerSecond: 200 });
    t.after(() => simulator.stop());
    const tls = { certFile: tlsFiles.cert, keyFile: tlsFiles.key };
    const installation = Installation.for(t, simulator, { server: { tls } });
    const { key } = await installation.makeKey();
    const { server, baseUrl } = await installation.serve();
    assert.match(baseUrl, /^https:\/\/127\.0\.0\.1:\d+$/);
    const get = (target: string) => fetch(baseUrl + target, { headers: { 'X-EXCHANGE-APIKEY': key } });
    const read = async <Body>(target: string) => (await (await get(target)).json()) as Body;
    await eventually('live prices', async () => (await read<ServiceStatusBody>('/v1/status')).status === 'operational');
    assert.match((await read<TickerBody>('/v1/ticker?symbol=BTCCZK')).buyPrice, /^\d+\.\d$|^\d+$/);
    const document = await read<{ servers: { url: string }[] }>('/openapi/v1.json');
    assert.deepEqual(
      document.servers.map(({ url }) => url),
      [baseUrl],
    );
    const problem = await read<{ type: string }>('/v1/nowhere');
    assert.ok(problem.type.startsWith(`${baseUrl}/`));
    await assert.rejects(fetch(`${baseUrl.replace('https', 'http')}/v1/time`));
    server.kill('SIGTERM');
    assert.deepEqual(await server.ended, { code: 0, signal: null });
    assert.doesNotMatch(server.output, /PRIVATE KEY/);
  });
});
