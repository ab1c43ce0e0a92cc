import { execFileSync } from 'node:child_process';
import { accessSync, constants, existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';

/** A program that tests run and npm does not bring. */
export interface SystemProgram {
  /** What it may be called: any one of these will do. */
  readonly names: readonly string[];
  /** The environment variable that names the program itself. */
  readonly variable?: string;
  /** Places beyond the path where it may lie, as whole paths. */
  readonly elsewhere?: readonly string[];
  /** The Debian package that has it. */
  readonly package: string;
  /** What else gets it, for people. */
  readonly orElse: string;
}

/** Where the program is, or what a test that needs it gives to `test`: it is skipped, with the command that gets it. */
export type Found =
  | { readonly path: string; readonly needs: object }
  | { readonly path: undefined; readonly needs: { skip: string } };

/**
 * Looks for the program, and gets it on a Debian where the tests may install packages, as in a container. Throws
 * where it is still missing in CI, where nothing may be left out.
 */
export function findSystemProgram(program: SystemProgram): Found {
  const path = findInstalled(program) ?? installed(program);
  if (path !== undefined) return { path, needs: {} };
  const named = program.variable === undefined ? '' : `, or name one in ${program.variable}`;
  const missing = `there is no ${program.names.join(' or ')}`;
  const skip = `${missing}: apt-get install ${program.package}, or ${program.orElse}${named}`;
  if (process.env.CI === 'true') throw new Error(skip);
  process.stderr.write(`tests skipped, ${skip}\n`);
  return { path, needs: { skip } };
}

/** The program as it is on this machine; nothing is installed. */
export function findInstalled({ names, variable, elsewhere = [] }: Omit<SystemProgram, 'package' | 'orElse'>) {
  const named = variable === undefined ? undefined : process.env[variable];
  if (named !== undefined && named !== '') return named;
  // Servers lie where the path of an ordinary user does not lead.
  const places = [...(process.env.PATH ?? '').split(delimiter), '/usr/sbin', '/usr/local/sbin', '/opt/homebrew/bin'];
  const paths = names.flatMap((name) => places.filter(Boolean).map((place) => join(place, name)));
  return [...paths, ...elsewhere].find(isExecutable);
}

function isExecutable(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

function installed(program: SystemProgram): string | undefined {
  if (process.getuid?.() !== 0 || !existsSync('/etc/debian_version')) return undefined;
  process.stderr.write(`installing ${program.package} with apt-get, for the tests that need it\n`);
  // A service of the machine is not wanted: the tests start servers of their own.
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive', RUNLEVEL: '1' };
  const install = ['install', '-y', '--no-install-recommends', '-o', 'DPkg::Lock::Timeout=300', program.package];
  try {
    execFileSync('apt-get', ['update'], { stdio: 'ignore', env });
    execFileSync('apt-get', install, { stdio: 'ignore', env });
  } catch {
    return undefined;
  }
  return findInstalled(program);
}
