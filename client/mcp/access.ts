import { readFileSync } from 'node:fs';
import { type Access, fromEnvironment } from '../src/environment.ts';

/**
 * `MARKET_DATA_BASE_URL` with `MARKET_DATA_API_KEY`, or with the first line of the file that `MARKET_DATA_API_KEY_FILE`
 * names. Throws `TypeError` that names what is missing or cannot be read, never with the key.
 */
export function accessOf(environment: Readonly<Record<string, string | undefined>>): Access {
  const { MARKET_DATA_API_KEY: key, MARKET_DATA_API_KEY_FILE: file } = environment;
  if (key && file) throw new TypeError('MARKET_DATA_API_KEY and MARKET_DATA_API_KEY_FILE are both set: keep one');
  return fromEnvironment(file ? { ...environment, MARKET_DATA_API_KEY: keyIn(file) } : environment);
}

function keyIn(file: string): string {
  try {
    return readFileSync(file, 'utf8').replace(/\r?\n$/, '');
  } catch (error) {
    throw new TypeError(
      `the file that MARKET_DATA_API_KEY_FILE names cannot be read: ${(error as NodeJS.ErrnoException).code}`,
    );
  }
}
