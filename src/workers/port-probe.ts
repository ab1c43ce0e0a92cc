import { createServer } from 'node:net';

/**
 * Makes sure that nobody listens on the port. Threads listen with SO_REUSEPORT, with which a second service of the same
 * user would get the port too and silently take a part of its connections. Rejects with the system's error.
 */
export function assertPortIsFree(host: string, port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    const probe = createServer();
    probe.once('error', reject);
    probe.listen({ host, port }, () => probe.close(() => resolve()));
  });
}
