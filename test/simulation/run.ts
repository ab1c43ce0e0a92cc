/**
 * `npm run simulate -- --seed N --days D --processes P`: whole services in a simulated world, see
 * docs/contributors/simulation.md. The doubles of the platform have to be in place before the service is loaded.
 */
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { hookDoubles } from './hooks.ts';
import { optionsOf } from './options.ts';
import { replacePlatform } from './platform.ts';
import { releaseIn } from './release.ts';
import { answerSeeds, runSideBySide } from './side-by-side.ts';

/** Ends once whoever reads has all that was printed: the end of the process would cut it off. */
async function exit(code: number): Promise<never> {
  await new Promise((written) => process.stdout.write('', written));
  process.exit(code);
}

function readOptions() {
  try {
    return optionsOf(process.argv.slice(2));
  } catch (error) {
    process.stderr.write(`simulate: ${(error as Error).message}\n`);
    return undefined;
  }
}

const all = readOptions() ?? (await exit(2));
const [options] = all;
const print = (text: string) => void process.stdout.write(text);
if (options.seeds > 1) await exit(await runSideBySide(options, print));
const former = options.former === undefined ? undefined : pathToFileURL(`${resolve(options.former)}/`);
hookDoubles(former);
const { simulate } = await import('./simulate.ts');
// Loaded before time is virtual.
const release = former && (await releaseIn(former));
replacePlatform();
if (process.send !== undefined) {
  await answerSeeds((seed, say) => simulate({ ...options, seed }, say, release));
  await exit(0);
}
let areAllWell = true;
for (const each of all) {
  const { isWell } = await simulate(each, print, release);
  areAllWell &&= isWell;
}
await exit(areAllWell ? 0 : 1);
