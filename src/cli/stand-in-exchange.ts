import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import type { Output } from './command.ts';
import { CommandError, exitCodes } from './failure.ts';

/** Where one of the exchanges is reached, and where it is told to fail. */
export interface ExchangeAddresses {
  readonly restUrl: string;
  readonly wsUrl: string;
  readonly controlUrl: string;
}

/** Stand-in exchanges in a process of their own. */
export interface StandInExchange {
  readonly cnbUrl: string;
  /** By dialect, in the order asked for. */
  readonly dialects: Readonly<Record<string, ExchangeAddresses>>;
  stop(): Promise<void>;
}

const program = fileURLToPath(new URL('../../exchange-simulator/cli.ts', import.meta.url));

/** Starts one for each dialect and waits until they listen. They exit with this process, even when this one is killed. */
export async function startStandInExchange(stderr: Output, dialects = 'kraken'): Promise<StandInExchange> {
  const child = spawn(process.execPath, [program, '--json', '--with-parent', '--dialect', dialects], {
    stdio: ['pipe', 'pipe', 'pipe'],
    detached: true,
  });
  child.stderr.on('data', (text: Buffer) => stderr.write(text.toString()));
  const exited = once(child, 'exit');
  const firstLine = once(createInterface({ input: child.stdout }), 'line');
  const line = await Promise.race([firstLine, exited.then(() => undefined)]);
  if (line === undefined) {
    const message = 'The stand-in exchange did not start; see above.';
    throw new CommandError(exitCodes.failure, 'exchange_not_started', message);
  }
  const addresses = JSON.parse(line[0] as string) as Omit<StandInExchange, 'stop'>;
  return {
    ...addresses,
    async stop() {
      child.stdin.end();
      child.kill('SIGTERM');
      await exited;
    },
  };
}
