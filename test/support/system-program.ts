import { accessSync, constants } from 'node:fs';
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
 * Looks for the program. A test that needs it is skipped without it; the runner names it at the end, and in CI fails.
 */
export function findSystemProgram(program: SystemProgram): Found {
  const path = findInstalled(program);
  if (path !== undefined) return { path, needs: {} };
  const named = program.variable === undefined ? '' : `, or name one in ${program.variable}`;
  const missing = `there is no ${program.names.join(' or ')}`;
  return { path, needs: { skip: `${missing}: apt-get install ${program.package}, or ${program.orElse}${named}` } };
}

/** The path of the program on this machine. */
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
