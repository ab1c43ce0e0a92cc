import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';

const usualPort = 9090;

/**
 * A port for the demo's private listener: the usual one, or any free one where something else, a
 * Prometheus for example, has that.
 */
export async function adminPort(): Promise<number> {
  return (await free(usualPort)) ?? (await free(0)) ?? usualPort;
}

/** The port that was free a moment ago; `undefined` when it was not. */
async function free(port: number): Promise<number | undefined> {
  const probe = createServer();
  try {
    probe.listen(port, '127.0.0.1');
    await once(probe, 'listening');
    const { port: taken } = probe.address() as AddressInfo;
    probe.close();
    await once(probe, 'close');
    return taken;
  } catch {
    return undefined;
  }
}
