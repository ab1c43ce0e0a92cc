import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { appendFileSync, mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { TestContext } from 'node:test';

const fillBytes = 65_536;

/**
 * A file system in memory that only some processes have, mounted in a name space of its own. Needs Linux; without root
 * also the right to make user name spaces.
 */
export class SmallDisk {
  /** What starts a process that has it, in this directory: a program and its first arguments. */
  readonly startedBy: readonly string[];
  readonly #path: string;

  private constructor(pid: number, mountPoint: string, directory: string, asUser: readonly string[]) {
    const within = ['sh', '-c', 'cd "$0" && exec "$@"', directory];
    this.startedBy = ['nsenter', '--target', String(pid), '--mount', ...asUser, '--', ...within];
    this.#path = `/proc/${pid}/root${mountPoint}`;
  }

  /** Mounts it at a directory within `directory`, which it makes. It is gone after the test. */
  static async mount(
    t: Pick<TestContext, 'after'>,
    directory: string,
    name: string,
    bytes: number,
  ): Promise<SmallDisk> {
    const mountPoint = join(directory, name);
    mkdirSync(mountPoint);
    const isRoot = process.getuid?.() === 0;
    const script = 'mount -t tmpfs -o "size=$1" tmpfs "$0" && echo mounted && exec sleep infinity';
    const args = [...(isRoot ? [] : ['--map-root-user']), '--mount', 'sh', '-c', script, mountPoint, String(bytes)];
    const holder = spawn('unshare', args, { stdio: ['ignore', 'pipe', 'inherit'] });
    t.after(() => holder.kill('SIGKILL'));
    const [said] = await Promise.race([once(holder.stdout, 'data'), once(holder, 'close')]);
    if (!String(said).startsWith('mounted')) throw new Error('no file system could be mounted');
    return new SmallDisk(holder.pid!, mountPoint, directory, isRoot ? [] : ['--user', '--preserve-credentials']);
  }

  /** Where this process finds a file of it. */
  pathOf(name: string): string {
    return join(this.#path, name);
  }

  /** Takes all room there is. */
  fill(): void {
    for (let bytes = fillBytes; bytes >= 1; ) {
      try {
        appendFileSync(this.pathOf('filler'), Buffer.alloc(bytes));
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== 'ENOSPC') throw error;
        bytes = Math.floor(bytes / 4);
      }
    }
  }

  /** Gives the room back. */
  free(): void {
    rmSync(this.pathOf('filler'));
  }
}
