import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import type { TestContext } from 'node:test';
import { systemClock } from '../../src/ground/clock.ts';

/**
 * A way to Redis on which everything passes at once but what the server answers on a connection that reads the stream
 * of changes: that is late. Gives its port.
 */
export async function lateReplication(
  t: Pick<TestContext, 'after'>,
  redisPort: number,
  lateMs: number,
): Promise<number> {
  const sockets = new Set<Socket>();
  const server = createServer({ noDelay: true }, (client) => {
    const target = connect({ host: '127.0.0.1', port: redisPort, noDelay: true });
    let isReplication = false;
    client.on('data', (bytes: Buffer) => {
      isReplication ||= bytes.includes('XREAD');
      target.write(bytes);
    });
    target.on('data', (bytes: Buffer) => {
      if (isReplication) systemClock.after(lateMs, () => client.write(bytes));
      else client.write(bytes);
    });
    for (const [socket, other] of [
      [client, target],
      [target, client],
    ] as const) {
      sockets.add(socket);
      socket.on('error', () => {});
      socket.on('close', () => {
        sockets.delete(socket);
        other.destroy();
      });
    }
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.after(() => {
    server.close();
    for (const socket of sockets) socket.destroy();
  });
  return (server.address() as AddressInfo).port;
}
