import { execFile, execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestContext } from 'node:test';

/** How a command ended inside the root. */
export interface Ran {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** A machine's files with nothing of ours in them: what is written stays within the test. */
export interface EmptyRoot {
  /** A path outside, of one inside. */
  readonly outside: (path: string) => string;
  /** Runs a shell line as a user, in a folder, with nothing of this process's environment. */
  readonly run: (user: string, cwd: string, line: string, env?: Readonly<Record<string, string>>) => Promise<Ran>;
  /** The command that begins a long-running process inside. */
  readonly entering: (user: string, cwd: string, line: string) => readonly [file: string, argv: readonly string[]];
}

/** Why there is none; `undefined` where there can be. */
export const emptyRootMissing: string | undefined =
  process.platform === 'linux' && process.arch === 'x64' && process.geteuid?.() === 0
    ? undefined
    : 'an empty root is laid over the system of a Linux machine (x64) by root';

/** Lays one over the files of this machine. Throws where the system does not let it. */
export function emptyRoot(t: Pick<TestContext, 'after'>): EmptyRoot {
  const folder = mkdtempSync(join(tmpdir(), 'mdapi-root-'));
  const [upper, work, root] = [join(folder, 'upper'), join(folder, 'work'), join(folder, 'root')];
  const mounted: string[] = [];
  // Private, so that the end of the test reaches nothing of the machine's own.
  const mount = (place: string, ...argv: string[]) => {
    execFileSync('mount', [...argv, place]);
    mounted.unshift(place);
    execFileSync('mount', ['--make-private', place]);
  };
  t.after(() => {
    for (const place of mounted) execFileSync('umount', ['--lazy', place]);
    rmSync(folder, { recursive: true, force: true });
  });
  // On a file system of its own: an overlay is no place for what is written of another.
  mount(folder, '-t', 'tmpfs', 'tmpfs');
  execFileSync('chmod', ['0755', folder]);
  for (const path of [upper, work, root]) mkdirSync(path);
  mount(root, '-t', 'overlay', 'overlay', '-o', `lowerdir=/,upperdir=${upper},workdir=${work}`);
  mount(join(root, 'dev'), '--bind', '/dev');
  mount(join(root, 'proc'), '-t', 'proc', 'proc');
  mount(join(root, 'tmp'), '-t', 'tmpfs', 'tmpfs', '-o', 'mode=1777');
  const entering: EmptyRoot['entering'] = (user, cwd, line) => [
    'chroot',
    [`--userspec=${user}:${user}`, root, '/bin/sh', '-c', `cd ${cwd} && ${line}`],
  ];
  return {
    outside: (path) => join(root, path),
    entering,
    run(user, cwd, line, more = {}) {
      const [file, argv] = entering(user, cwd, line);
      const env = {
        PATH: '/usr/sbin:/usr/bin:/sbin:/bin',
        HOME: user === 'root' ? '/root' : '/var/lib/mdapi',
        ...more,
      };
      return new Promise((resolve) => {
        execFile(file, [...argv], { env, maxBuffer: 2 ** 26 }, (error, stdout, stderr) => {
          resolve({ code: error === null ? 0 : Number(error.code), stdout, stderr });
        });
      });
    },
  };
}
