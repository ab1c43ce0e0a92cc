import assert from 'node:assert/strict';
import { mkdirSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { describe, type TestContext, test } from 'node:test';
import { type ExchangeSimulator, startExchangeSimulator } from '../../exchange-simulator/simulator.ts';
import { eventually } from '../support/eventually.ts';
import { Installation } from '../support/mdapi-process.ts';

/** A port that another program has. */
async function takenPort(t: TestContext, answer: string): Promise<number> {
  const server: Server = createServer((_request, response) => void response.end(answer)).listen(0, '127.0.0.1');
  t.after(() => server.close());
  await eventually('it listens', () => server.listening);
  return (server.address() as AddressInfo).port;
}

/** A directory to run in. Nobody is ever asked for anything here. */
async function installed(t: TestContext, settings: Readonly<Record<string, object>> = {}): Promise<Installation> {
  const simulator: ExchangeSimulator = await startExchangeSimulator({ quotes: ['EUR'], updatesPerSecond: 0 });
  t.after(() => simulator.stop());
  return Installation.for(t, simulator, settings);
}

async function refusal(installation: Installation): Promise<string> {
  const { exitCode, stdout, stderr } = await installation.run('serve', '--json');
  assert.equal(exitCode, 1, stderr);
  const { error } = JSON.parse(stdout) as { error: { message: string } };
  const said = stderr.split('\n').filter((line) => !line.includes('there was no database, and a new one was made'));
  assert.deepEqual(
    said,
    [`mdapi: ${error.message}`, ''],
    'one line, and nothing before it but that a database was made',
  );
  assert.ok(!error.message.includes('\n'));
  return error.message;
}

describe('`mdapi serve` that cannot start says why in one line, and ends with 1', { concurrency: true }, () => {
  test('when the port of the public listener is in use', async (t) => {
    const port = await takenPort(t, '');
    assert.match(
      await refusal(await installed(t, { server: { port } })),
      new RegExp(`^Port ${port} .* --port, server.port`),
    );
  });

  test('when the port of the private listener is in use', async (t) => {
    const port = await takenPort(t, '');
    assert.match(await refusal(await installed(t, { admin: { port } })), new RegExp(`^Port ${port} .* admin.port`));
  });

  test('when this machine does not have the address', async (t) => {
    assert.match(await refusal(await installed(t, { server: { host: '192.0.2.1' } })), /no address 192\.0\.2\.1/);
  });

  test('when the database cannot be opened', async (t) => {
    const installation = await installed(t);
    mkdirSync(join(installation.directory, 'mdapi.sqlite'));
    assert.match(await refusal(installation), /mdapi\.sqlite/);
  });

  test('when another service has the database, whose process it names, and the command line works beside that one', async (t) => {
    const installation = await installed(t);
    const { server } = await installation.serve();
    installation.env.MDAPI_ADMIN_PORT = '0';
    assert.match(await refusal(installation), new RegExp(`process ${server.child.pid} on `));
    await installation.makeKey();
    server.kill('SIGKILL');
    await server.ended;
    await installation.serve();
  });

  test('when the certificate is not there, or is none', async (t) => {
    const tls = { certFile: './cert.pem', keyFile: './key.pem' };
    const installation = await installed(t, { server: { port: 0, tls } });
    assert.match(await refusal(installation), /^Cannot read server\.tls\.certFile, .*cert\.pem \(ENOENT\)/);
    for (const file of ['cert.pem', 'key.pem']) writeFileSync(join(installation.directory, file), 'no PEM');
    assert.match(await refusal(installation), /no certificate and its key in PEM form \(ERR_OSSL/);
  });
});

test('`mdapi price` does not take another program on the private listener’s port for the server', async (t) => {
  const installation = await installed(t);
  await installation.makeKey();
  for (const answer of ['<html>metrics</html>', '{"status":"error"}', 'null']) {
    installation.env.MDAPI_ADMIN_PORT = String(await takenPort(t, answer));
    const { exitCode, stderr } = await installation.run('price', 'BTCCZK');
    assert.equal(exitCode, 4, stderr);
    assert.match(stderr, /no market "BTCCZK"/);
  }
});
