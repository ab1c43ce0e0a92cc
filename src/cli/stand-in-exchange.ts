import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import type { Output } from './command.ts';
import { CommandError, exitCodes } from './failure.ts';

/** A stand-in exchange in a process of its own. */
export interface StandInExchange {
  readonly restUrl: string;
  readonly wsUrl: string;
  readonly cnbUrl: string;
  readonly controlUrl: string;
  stop(): Promise<void>;
}

const program = fileURLToPath(new URL('../../exchange-simulator/cli.ts', import.meta.url));

/** Starts it and waits until it listens. It exits with this process, even when this one is killed. */
export async function startStandInExchange(stderr: Output): Promise<StandInExchange> {
  const child = spawn(process.execPath, [program, '--json', '--with-parent'], {
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
