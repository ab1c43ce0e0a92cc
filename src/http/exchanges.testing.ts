import { once } from 'node:events';
import { createServer } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { text } from 'node:stream/consumers';
import type { TestContext } from 'node:test';
import { FakeClock, seededRandomness } from '../../test/support/fake-clock.ts';
import { digestOf, generateApiKey } from '../access/api-key.ts';
import { ClientAddresses } from '../access/client-address.ts';
import { KeyDirectory } from '../access/key-directory.ts';
import { type Limits, MemoryLimits } from '../access/limits.ts';
import { Page } from '../board/page.ts';
import { silentLog } from '../ground/log.ts';
import { dataPage, instantJson } from './answer.ts';
import type { AnsweredRequest, ServedRequest } from './answered-request.ts';
import { Connections } from './connections.ts';
import { Exchanges } from './exchanges.ts';
import { Handshakes } from './handshakes.ts';
import { answerRequests } from './http-server.ts';
import type { Shed } from './overload.ts';
import { readModelOf } from './read-model.testing.ts';
import { RequestCounts } from './request-counts.ts';
import { requestIds } from './request-ids.ts';
import type { Resource } from './resource.ts';

export const key = generateApiKey(seededRandomness(1));
export const keyed = `X-EXCHANGE-APIKEY: ${key}`;

export const large = new Page(JSON.stringify('x'.repeat(100_000)));

/** One request as bytes. */
export function request(path: string, headers: readonly string[] = [keyed], start = 'GET'): string {
  return `${[`${start} ${path} HTTP/1.1`, 'Host: a', ...headers].join('\r\n')}\r\n\r\n`;
}

/** A server of Node's whose requests are answered by exchanges, with all that they report. */
export async function exchanging(t: TestContext) {
  const clock = new FakeClock();
  const counts = new RequestCounts();
  const answered: AnsweredRequest[] = [];
  const served: ServedRequest[] = [];
  const logged: object[] = [];
  const state = {
    shed: 'none' as Shed,
    isStoreBroken: false,
    counting: undefined as Promise<void> | undefined,
    parsed: 0,
  };
  const limits = new MemoryLimits(seededRandomness(3), { key: 1_000, address: 1_000, failedAuthentication: 1_000 });
  const takeForKey: Limits['takeForKey'] = (match, now) => {
    const verdict = MemoryLimits.prototype.takeForKey.call(limits, match, now);
    return state.counting === undefined ? verdict : state.counting.then(() => verdict);
  };
  const bounds = { maxConnections: 9, maxConnectionsPerAddress: 9, writeTimeoutMs: 9_000, unsentBytesMax: 9_000 };
  const connections = new Connections(clock, bounds, new Handshakes());
  const keys = new KeyDirectory();
  keys.upsert({ digest: digestOf(key), keyId: 'key_1', usable: true, expiresAt: undefined, limitPerMinute: undefined });
  const resource = (route: string, answer: Resource['answer']): [string, Resource] => [
    route,
    { route, answersInMaintenance: true, answer },
  ];
  const exchanges = new Exchanges({
    routes: {
      keyed: new Map([
        resource('/v1/time', ({ now }) => instantJson({ now })),
        resource('/v1/nothing', () => undefined as never),
        resource('/v1/large', () => dataPage(large)),
      ]),
      keyless: new Map([resource('/', () => instantJson({}))]),
      uncounted: new Map([
        ['/form', { ...resource('/form', () => instantJson({}))[1], submit: async () => instantJson({}) }],
      ]),
    },
    errorsUrl: 'https://errors',
    gate: {
      keys,
      limits: Object.assign(limits, { takeForKey }),
      refreshKeys: () => (state.isStoreBroken ? Promise.reject(new Error('broken')) : undefined),
    },
    addresses: new ClientAddresses([]),
    readModel: readModelOf(),
    ids: requestIds(seededRandomness(2)),
    onAnswered: (each) => void answered.push(each),
    onServed: (each) => void served.push(each),
    clock,
    log: { ...silentLog, error: (fields) => void logged.push(fields) },
    connections,
    overload: { shed: () => state.shed },
    counts,
    isSecure: false,
    keepAliveSeconds: 75,
  });
  // Nothing ends by the platform's clock, however slow the machine is.
  const untimed = { keepAliveTimeout: 0, headersTimeout: 0, requestTimeout: 0 };
  const server = createServer({ joinDuplicateHeaders: true, requireHostHeader: false, ...untimed });
  server.on('connection', (socket) => connections.add(socket, undefined));
  server.on('request', () => state.parsed++);
  answerRequests(server, exchanges);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.after(() => {
    connections.stop();
    server.closeAllConnections();
    server.close();
  });
  /**
   * Sends bytes. Gives the answers that came, up to so many or to the end of the connection, each with its head and
   * body.
   */
  const send = async (bytes: string, count = 1) => {
    const socket = connect((server.address() as AddressInfo).port, '127.0.0.1');
    socket.on('error', () => {});
    let heads = 0;
    socket.on('data', (piece: Buffer) => {
      heads += piece.toString().split('HTTP/1.1 ').length - 1;
      if (heads >= count) socket.end();
    });
    socket.write(bytes);
    return answersIn(await text(socket));
  };
  /** A client that keeps its connection. */
  const client = () => {
    const socket = connect((server.address() as AddressInfo).port, '127.0.0.1').setNoDelay();
    const got: Buffer[] = [];
    const ends = once(socket, 'close');
    /** Waits until what came is enough. Rejects where the connection ends before. */
    const comes = async (isEnough: () => boolean) => {
      while (!isEnough()) {
        if (socket.destroyed) throw new Error(`the connection ended after ${all().length} answers`);
        await Promise.race([once(socket, 'data'), ends]);
      }
    };
    socket.on('error', () => {}).on('data', (piece: Buffer) => got.push(piece));
    const all = () => answersIn(Buffer.concat(got).toString('latin1'));
    /**
     * Sends pieces, each once the one before was read, and gives the answers from then on, once there are so many.
     * Rejects where the connection ends before.
     */
    const ask = async (pieces: string | readonly string[], count = 1) => {
      const before = all().length;
      const isHead = [pieces].flat()[0]!.startsWith('HEAD');
      for (const piece of [pieces].flat()) {
        const read = once(server, 'bytes');
        socket.write(piece);
        await Promise.race([read, ends]);
      }
      await comes(() => all().length >= before + count && (count === 0 || isWhole(all().at(-1)!, isHead)));
      return all().slice(before);
    };
    return { socket, ask, all, comes, ends };
  };
  server.on('connection', (socket) => socket.prependListener('data', () => server.emit('bytes')));
  return { clock, counts, keys, answered, served, logged, state, connections, exchanges, send, client };
}

export function isWhole({ status, lines, body }: ReturnType<typeof answersIn>[number], isOfHead: boolean): boolean {
  return isOfHead || status === 304 || body.length >= Number(lines.get('Content-Length'));
}

function answersIn(all: string) {
  return all
    .split(/(?=HTTP\/1\.1 \d{3} )/)
    .filter((answer) => answer !== '')
    .map((answer) => {
      const [head, body] = answer.split('\r\n\r\n') as [string, string];
      const lines = new Map(head.split('\r\n').map((line) => line.split(': ') as [string, string]));
      return { status: Number(head.slice(9, 12)), connection: lines.get('Connection'), lines, body, head };
    });
}
