import { postgresMissing } from '../test/support/postgres.ts';
import { findInstalled } from '../test/support/system-program.ts';

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
export function findPrograms(): Programs | { readonly missing: string } {
  const redisPath = findInstalled(redis);
  const absent = [redis, nginx].filter((need) => findInstalled(need) === undefined);
  const texts = absent.length === 0 ? [] : [howToGet(absent)];
  if (postgresMissing !== undefined) texts.push(`${postgresMissing}.`);
  return texts.length === 0 ? { redis: redisPath! } : { missing: texts.join('\n') };
}

function howToGet(absent: readonly Need[]): string {
  const names = absent.map(({ names }) => names.join(' or ')).join(', and ');
  const manager = managerOf();
  const packages = absent.map((need) => need.packages[manager]).join(' ');
  const install = { brew: 'brew install', 'apt-get': 'sudo apt-get install', dnf: 'sudo dnf install', apk: 'apk add' };
  return `The cluster needs ${names}, which this machine does not have. Get it with\n\n  ${install[manager]} ${packages}\n`;
}

function managerOf(): Manager {
  if (process.platform === 'darwin') return 'brew';
  const there = (['apt-get', 'dnf', 'apk'] as const).find((name) => findInstalled({ names: [name] }) !== undefined);
  return there ?? 'apt-get';
}
