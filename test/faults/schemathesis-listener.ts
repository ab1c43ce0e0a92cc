import { systemClock } from '../../src/ground/clock.ts';
import { startHealthy } from './oracle.ts';

/**
 * A listener for `schemathesis.sh`: two markets, limits out of the way. Prints its port and a key, and serves until it
 * is ended.
 */
const api = await startHealthy({ clock: systemClock });
process.stdout.write(`${api.port} ${api.key}\n`);
process.once('SIGTERM', async () => {
  const failures = api.logged.map(({ message }) => message);
  await api.stop();
  if (failures.length > 0) process.stderr.write(`the listener logged: ${failures.join('; ')}\n`);
  process.exitCode = failures.length > 0 ? 1 : 0;
});
