import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:net';

/** Below the ports that systems give to outgoing connections and to whoever asks for any. */
const from = 20_000;
const count = 8_000;

/**
 * A free port for a server that is stopped and started again on it. Nothing takes it in between but a program that asks
 * for this very one.
 */
export async function fixedPort(): Promise<number> {
  for (let tries = 0; tries < 100; tries++) {
    const port = from + randomInt(count);
    if (await isFree(port)) return port;
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
