import { randomInt } from 'node:crypto';
import { createSocket, type Socket } from 'node:dgram';
import { once } from 'node:events';
import { createServer } from 'node:net';

/** Below the ports that systems give to outgoing connections and to whoever asks for any. */
const from = 20_000;
const count = 8_000;

/**
 * A free port of this machine for a server with a fixed port, that is stopped and started again on it, or that is
 * gone for good. Nobody else gets it from here while this process lives, and no system gives it to whoever asks for
 * any.
 */
export async function fixedPort(): Promise<number> {
  for (let tries = 0; tries < 100; tries++) {
    const port = from + randomInt(count);
    // Reserved before it is tried: trying one that is somebody's would keep its server from coming back just then.
    const reservation = await reserve(port);
    if (reservation === undefined) continue;
    if (await isFree(port)) return port;
    reservation.close();
  }
  throw new Error(`no free port from ${from} to ${from + count}`);
}

async function isFree(port: number): Promise<boolean> {
  const server = createServer();
  try {
    server.listen(port, '127.0.0.1');
    await once(server, 'listening');
    server.close();
    await once(server, 'close');
    return true;
  } catch {
    return false;
  }
}

/**
 * Takes the UDP port of the same number, which nothing here uses: so the kernel keeps two processes from reserving one
 * TCP port, also while nobody listens on it, and ends the reservation with the process, however that ends. `undefined`
 * when it is another's.
 */
async function reserve(port: number): Promise<Socket | undefined> {
  const socket = createSocket('udp4');
  try {
    socket.bind({ port, address: '127.0.0.1', exclusive: true });
    await once(socket, 'listening');
    return socket.unref();
  } catch {
    socket.close();
    return undefined;
  }
}
