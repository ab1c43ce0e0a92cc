import { execFileSync } from 'node:child_process';
import { cpus, loadavg, platform, release, totalmem } from 'node:os';
import { generatorName } from './load/generator.ts';
import { findProgram, pinned } from './processes.ts';
import { bytes } from './report/format.ts';

/** What the figures were measured on. */
export interface Machine {
  readonly processor: string;
  readonly cores: number;
  readonly memory: string;
  readonly system: string;
  readonly node: string;
  readonly loadGenerator: string;
  readonly nginx: string;
  readonly pinned: boolean;
  /** Processes that wanted to run in the last minute before: above a few tenths, others disturb. */
  readonly loadBefore: number;
}

export function describeMachine(): Machine {
  return {
    processor: cpus()[0]?.model.trim() ?? 'unknown',
    cores: cpus().length,
    memory: bytes(totalmem()),
    system: `${platform()} ${release()}`,
    node: process.versions.node,
    loadGenerator: generatorName,
    nginx: nginxVersion(),
    pinned,
    loadBefore: loadavg()[0] ?? 0,
  };
}

function nginxVersion(): string {
  const command = findProgram('nginx');
  if (command === undefined) return 'not installed';
  // It prints its version on stderr.
  const text = execFileSync('sh', ['-c', `'${command}' -v 2>&1`], { encoding: 'utf8' });
  return /nginx\/(\S+)/.exec(text)?.[1] ?? 'unknown';
}
