import { resolve } from 'node:path';
import { UsageError } from '../failure.ts';

/**
 * A store URL as it was written on the command line: a relative path is made absolute. Throws `UsageError` for one with a
 * password, which everybody on the machine could read in the list of processes.
 */
export function argumentUrl(option: string, url: string, cwd: string): string {
  refusePassword(option, url);
  if (!url.startsWith('sqlite:') || url === 'sqlite::memory:') return url;
  return `sqlite:${resolve(cwd, url.slice('sqlite:'.length))}`;
}

/** See `argumentUrl`. */
export function refusePassword(option: string, url: string): void {
  if (!/^postgres(ql)?:/i.test(url)) return;
  const holdsPassword = (URL.parse(url)?.password ?? '') !== '' || /:\/\/[^/@]*:[^/@]*@/.test(url);
  if (!holdsPassword) return;
  const mend = 'Leave it out and give it as PGPASSFILE (a file like ~/.pgpass) or PGPASSWORD';
  throw new UsageError(`--${option} holds a password, which other users of this machine could read. ${mend}.`);
}
