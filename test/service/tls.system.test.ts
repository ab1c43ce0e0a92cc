import assert from 'node:assert/strict';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { before, describe, test } from 'node:test';
import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import { startExchangeSimulator } from '../../exchange-simulator/simulator.ts';
import type { ServiceStatusBody, TickerBody } from '../../src/contract/schemas.ts';
import { eventually } from '../support/eventually.ts';
import { fixedPort } from '../support/fixed-port.ts';
import { Installation } from '../support/mdapi-process.ts';
import { needsRedis, RedisServer } from '../support/redis.ts';
import { tlsFiles, tlsTexts } from '../support/tls-files.ts';
import { visit } from '../support/tls-visit.ts';

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

  test(
    'resumes a session that another process began, on another port, and after both were restarted',
    needsRedis,
    async (t) => {
      const simulator = await startExchangeSimulator({ quotes: ['EUR'] });
      t.after(() => simulator.stop());
      const tls = { certFile: tlsFiles.cert, keyFile: tlsFiles.key };
      const installation = Installation.for(t, simulator, { server: { tls } });
      installation.env.MDAPI_REDIS = (await RedisServer.start(t)).url;
      const serve = async () => {
        const server = installation.start('serve', '--json', '--port', String(await fixedPort()));
        return { server, ...(JSON.parse(await server.firstLine()) as { port: number }) };
      };
      const both = [await serve(), await serve()];
      const first = await visit(both[0]!.port);
      assert.equal(first.isResumed, false);
      assert.equal((await visit(both[1]!.port, first.session)).isResumed, true);
      for (const { server } of both) server.kill('SIGTERM');
      await Promise.all(both.map(({ server }) => server.ended));
      assert.equal((await visit((await serve()).port, first.session)).isResumed, true);
      const database = new DatabaseSync(join(installation.directory, 'mdapi.sqlite'), { readOnly: true });
      const { payload } = database.prepare("select payload from snapshots where name = 'tls tickets'").get()!;
      database.close();
      assert.ok(both.every(({ server }) => !server.output.includes(String(payload))));
    },
  );
});
