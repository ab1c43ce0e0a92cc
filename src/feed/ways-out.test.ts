import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer as createPlainServer, type RequestListener, type Server } from 'node:http';
import { createServer } from 'node:https';
import { type AddressInfo, connect } from 'node:net';
import { afterEach, test } from 'node:test';
import tls from 'node:tls';
import { WebSocketServer } from 'ws';
import { FakeClock } from '../../test/support/fake-clock.ts';
import { tlsTexts } from '../../test/support/tls-files.ts';
import { fetchText } from './bounded-fetch.ts';
import { connectorOptions } from './connector.testing.ts';
import { KrakenConnector } from './kraken/connector.ts';
import { redirectOf, takeWayOut, userAgent } from './ways-out.ts';

const undo: (() => void)[] = [];
/** The program that each WebSocket came from. */
const agents: string[] = [];

afterEach(() => {
  for (const each of undo.splice(0)) each();
});

async function listening(server: Server): Promise<number> {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  undo.push(() => {
    server.closeAllConnections();
    server.close();
  });
  return (server.address() as AddressInfo).port;
}

/** An exchange with TLS for the name `localhost`, over REST and WebSocket, that says who asked. */
async function startExchange(listener: RequestListener = (request, response) => response.end(agentOf(request))) {
  const known = tls.getCACertificates('default');
  tls.setDefaultCACertificates([...known, tlsTexts.authority]);
  undo.push(() => tls.setDefaultCACertificates(known));
  const server = createServer(tlsTexts, listener);
  new WebSocketServer({ server }).on('connection', (_socket, request) => agents.push(agentOf(request)));
  return listening(server);
}

function agentOf({ headers }: { readonly headers: { readonly 'user-agent'?: string | undefined } }): string {
  return headers['user-agent'] ?? 'nobody';
}

/** A proxy that leads every tunnel to one port of this machine, and notes where each was to lead. */
async function startProxy(port: number) {
  const asked: string[] = [];
  const server = createPlainServer();
  server.on('connect', (request, socket) => {
    asked.push(`${request.url} ${request.headers['proxy-authorization'] ?? 'without credentials'}`);
    const onward = connect(port, '127.0.0.1', () => socket.write('HTTP/1.1 200 Connection established\r\n\r\n'));
    socket.pipe(onward).pipe(socket);
    for (const each of [socket, onward]) each.on('error', () => each.destroy());
    undo.push(() => onward.destroy());
  });
  return { asked, port: await listening(server) };
}

function fetched(url: string) {
  const signal = new AbortController().signal;
  return fetchText(url, { clock: new FakeClock(), timeoutMs: 5_000, bodyBytesMax: 1_000, signal });
}

/** Opens a live connection as a connector does. Resolves with `opened`, or why it was not. */
function opened(ws: string): Promise<string> {
  return new Promise((resolve) => {
    const connector = new KrakenConnector(connectorOptions({ restUrl: 'http://127.0.0.1:1', liveUrl: ws }));
    const connection = connector.openLive((event) => {
      if (event.type === 'opened') resolve('opened');
      if (event.type === 'closed') resolve(event.detail);
    });
    undo.push(() => connection.terminate());
  });
}

test('REST and WebSocket take the configured proxy, in a tunnel to the name that was asked for, with its credentials', async () => {
  const exchange = await startExchange();
  const proxy = await startProxy(exchange);
  const way = takeWayOut({ proxy: `http://me:secret@127.0.0.1:${proxy.port}`, noProxy: undefined }, {});
  undo.push(way.restore);
  assert.equal(way.proxy, `127.0.0.1:${proxy.port}`);
  const host = `exchange.example:${exchange}`;
  await fetched(`https://${host}/rest`).catch(() => undefined);
  await opened(`wss://${host}/ws`);
  const credentials = `Basic ${Buffer.from('me:secret').toString('base64')}`;
  assert.deepEqual(proxy.asked, [`${host} ${credentials}`, `${host} ${credentials}`]);
});

test('the environment names a proxy where the configuration does not, and what is reached without one', async () => {
  const exchange = await startExchange();
  const proxy = await startProxy(exchange);
  const { restore } = takeWayOut(
    { proxy: undefined, noProxy: undefined },
    { HTTPS_PROXY: `http://127.0.0.1:${proxy.port}`, no_proxy: 'direct.example, other.example' },
  );
  undo.push(restore);
  await fetched(`https://exchange.example:${exchange}/`).catch(() => undefined);
  await fetched(`https://direct.example:${exchange}/`).catch(() => undefined);
  assert.deepEqual(proxy.asked, [`exchange.example:${exchange} without credentials`]);
});

test('this machine is never asked for through a proxy, over REST or WebSocket', async () => {
  const exchange = await startExchange();
  const proxy = await startProxy(exchange);
  undo.push(takeWayOut({ proxy: `http://127.0.0.1:${proxy.port}`, noProxy: [] }, {}).restore);
  assert.equal((await fetched(`https://localhost:${exchange}/`)).text, userAgent);
  assert.equal(await opened(`wss://localhost:${exchange}/`), 'opened');
  assert.deepEqual(proxy.asked, []);
});

test('a proxy that refuses the tunnel is named, over REST and WebSocket', async () => {
  const server = createPlainServer();
  server.on('connect', (_request, socket) => socket.end('HTTP/1.1 403 Forbidden\r\n\r\n'));
  const proxy = `http://me:secret@127.0.0.1:${await listening(server)}`;
  undo.push(takeWayOut({ proxy, noProxy: undefined }, {}).restore);
  const message = 'the proxy answers with status 403';
  await assert.rejects(fetched('https://exchange.example/'), { kind: 'network', message });
  assert.equal(await opened('wss://exchange.example/'), 'the proxy refuses the tunnel');
});

test('without a proxy nothing changes', () => {
  const { proxy, restore } = takeWayOut(
    { proxy: undefined, noProxy: ['a.example'] },
    { NO_PROXY: '*', HTTPS_PROXY: '' },
  );
  restore();
  assert.equal(proxy, undefined);
});

test('both ways say which program asks, in its version', async () => {
  const exchange = await startExchange();
  assert.match(userAgent, /^market-data-api\/\d+\.\d+\.\d+$/);
  agents.length = 0;
  assert.equal((await fetched(`https://localhost:${exchange}/`)).text, userAgent);
  assert.equal(await opened(`wss://localhost:${exchange}/`), 'opened');
  assert.deepEqual(agents, [userAgent]);
});

test('a redirect is a failure that names its status and where it leads, without the query, over REST and WebSocket', async () => {
  const location = 'https://user:pass@api.example.test/v1/latest?base=EUR&symbols=CZK&key=secret';
  const port = await startExchange((_request, response) => response.writeHead(301, { location }).end());
  const said = 'HTTP status 301: moved to https://api.example.test/v1/latest';
  await assert.rejects(fetched(`https://localhost:${port}/`), { kind: 'status', message: said });
  const plain = createPlainServer();
  plain.on('upgrade', (_request, socket) => socket.end(`HTTP/1.1 301 Moved\r\nLocation: ${location}\r\n\r\n`));
  assert.equal(await opened(`ws://127.0.0.1:${await listening(plain)}/`), said);
});

test('a redirect to a path of the same host is named whole, and one without a target as such', () => {
  assert.equal(redirectOf(308, '/v2/x', 'https://api.example.test/v1'), 'moved to https://api.example.test/v2/x');
  assert.equal(redirectOf(302, undefined, 'https://api.example.test/v1'), 'moved, without saying where');
  assert.equal(redirectOf(304, '/v2', 'https://api.example.test/v1'), undefined);
  assert.equal(redirectOf(200, '/v2', 'https://api.example.test/v1'), undefined);
});
