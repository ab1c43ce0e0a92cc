import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { ServiceHarness } from '../support/service-harness.ts';
import { PrismProxy } from './prism-proxy.ts';
import { fullRound } from './requests.ts';

const tools = fileURLToPath(new URL('../../tools/openapi', import.meta.url));
const prism = `${tools}/node_modules/.bin/prism`;

/**
 * Every endpoint and every status that can be reached, asked of a running service through Prism, which
 * judges each answer by the document the service serves. Ends with 1 for any violation.
 */
async function main(cleanups: (() => unknown)[]): Promise<number> {
  if (!existsSync(prism)) execFileSync('npm', ['ci', '--prefix', tools], { stdio: 'inherit' });
  const own = { after: (run: unknown) => void cleanups.push(run as () => unknown) };
  const settings = { 'limits.address': '20', 'limits.failedAuthentication': '20' };
  const service = await ServiceHarness.start(own, { settings });
  const proxy = await PrismProxy.start(own, prism, service);
  let faults = 0;
  for await (const { name, expected, answer } of fullRound(service, proxy)) {
    const found = answer.status === expected ? answer.violations : [`status ${answer.status}`, ...answer.violations];
    process.stdout.write(`${found.length === 0 ? 'ok  ' : 'BAD '} ${expected} ${name}\n`);
    for (const violation of found) process.stdout.write(`       ${violation}\n`);
    faults += found.length;
  }
  process.stdout.write(faults === 0 ? 'Prism found no violation.\n' : `Prism found ${faults} violations.\n`);
  return faults === 0 ? 0 : 1;
}

const cleanups: (() => unknown)[] = [];
try {
  process.exitCode = await main(cleanups);
} finally {
  for (const cleanup of cleanups.reverse()) await cleanup();
}
