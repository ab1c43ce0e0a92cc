import type { Caller } from './redis-calls.ts';

const prefix = '{mdapi}:name:';

/** Names that processes take from one another for a time, in Redis or Valkey. Every method may reject. */
export function sharedNames(call: Caller) {
  return {
    /** Gives a name a value for a time, unless it has one. Resolves with the value that it has then. */
    async claim(name: string, value: string, forMs: number): Promise<string> {
      const key = prefix + name;
      const isTaken = (await call(['SET', key, value, 'NX', 'PX', String(forMs)])) !== 'OK';
      const held = isTaken ? await call(['GET', key]) : value;
      // It may have ended between the two.
      return typeof held === 'string' ? held : value;
    },
    /** Lets names have their values for that time from now on. */
    async prolong(names: readonly string[], forMs: number): Promise<void> {
      for (const name of names) await call(['PEXPIRE', prefix + name, String(forMs)]);
    },
    async release(name: string): Promise<void> {
      await call(['DEL', prefix + name]);
    },
  };
}
