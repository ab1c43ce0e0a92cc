import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';
import { postgresMissing } from '../test/support/postgres.ts';

/** Servers lie where the path of an ordinary user does not lead. */
const moreDirectories = ['/usr/sbin', '/usr/local/sbin', '/opt/homebrew/bin'];

interface Need {
  /** Any one of these will do. */
  readonly names: readonly string[];
  /** The variable that names the program itself. */
  readonly variable?: string;
  /** The package that has it, by package manager. */
  readonly packages: Readonly<Record<Manager, string>>;
}

type Manager = 'brew' | 'apt-get' | 'dnf' | 'apk';

const redis: Need = {
  names: ['redis-server', 'valkey-server'],
  variable: 'MDAPI_REDIS_BIN',
  packages: { brew: 'redis', 'apt-get': 'redis-server', dnf: 'valkey', apk: 'valkey' },
};
const nginx: Need = {
  names: ['nginx'],
  packages: { brew: 'nginx', 'apt-get': 'nginx-light', dnf: 'nginx', apk: 'nginx' },
};

/** The servers of this machine that the cluster needs. */
export interface Programs {
  readonly redis: string;
}

/** Finds them, or says in one text what is missing and the command that gets it. */
export function findPrograms(env: NodeJS.ProcessEnv): Programs | { readonly missing: string } {
  const redisPath = (redis.variable && env[redis.variable]) || find(redis, env);
  const absent = [...(redisPath ? [] : [redis]), ...(find(nginx, env) ? [] : [nginx])];
  const texts = absent.length === 0 ? [] : [howToGet(absent, env)];
  if (postgresMissing !== undefined) texts.push(`${postgresMissing}.`);
  return texts.length === 0 ? { redis: redisPath! } : { missing: texts.join('\n') };
}

function howToGet(absent: readonly Need[], env: NodeJS.ProcessEnv): string {
  const names = absent.map(({ names }) => names.join(' or ')).join(', and ');
  const manager = managerOf(env);
  const packages = absent.map((need) => need.packages[manager]).join(' ');
  const install = { brew: 'brew install', 'apt-get': 'sudo apt-get install', dnf: 'sudo dnf install', apk: 'apk add' };
  return `The cluster needs ${names}, which this machine does not have. Get it with\n\n  ${install[manager]} ${packages}\n`;
}

function managerOf(env: NodeJS.ProcessEnv): Manager {
  if (process.platform === 'darwin') return 'brew';
  const there = (['apt-get', 'dnf', 'apk'] as const).find((name) => onPath(name, env) !== undefined);
  return there ?? 'apt-get';
}

function find({ names }: Need, env: NodeJS.ProcessEnv): string | undefined {
  return names.map((name) => onPath(name, env)).find((path) => path !== undefined);
}

function onPath(name: string, env: NodeJS.ProcessEnv): string | undefined {
  const directories = [...(env.PATH ?? '').split(delimiter), ...moreDirectories];
  return directories.map((directory) => join(directory, name)).find(isExecutable);
}

function isExecutable(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
