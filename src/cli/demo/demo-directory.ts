import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { stringify } from 'yaml';
import { exitCodes } from '../exit-codes.ts';
import { CommandError } from '../failure.ts';
import type { StandInExchange } from './stand-in-exchange.ts';

/**
 * Writes the configuration of the demo and returns its file. It names the stand-in exchange of this
 * run. Throws `CommandError` when the directory cannot be written.
 */
export function writeDemoConfiguration(
  directory: string,
  { restUrl, wsUrl, cnbUrl }: StandInExchange,
  adminPort: number,
): string {
  const file = join(directory, 'mdapi.yaml');
  const configuration = {
    admin: { port: adminPort },
    store: 'sqlite:./mdapi.sqlite',
    exchange: { urls: { rest: restUrl, ws: wsUrl } },
    rates: { source: 'cnb', url: cnbUrl },
    logs: { level: 'error' },
  };
  try {
    mkdirSync(directory, { recursive: true });
    writeFileSync(file, `# Written anew by each start of the demo.\n${stringify(configuration)}`);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    const mend = 'Start in a directory you may write to, or name one with --dir.';
    throw new CommandError(exitCodes.failure, 'directory_unwritable', `Cannot write ${file} (${code}). ${mend}`);
  }
  return file;
}
