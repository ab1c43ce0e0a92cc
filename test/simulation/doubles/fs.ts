import { closeSync as platformClose, openSync as platformOpen, writeSync as platformWrite } from 'node:fs';
import { theWorld } from '../world.ts';

export { existsSync, ftruncateSync, readdirSync, readFileSync, readSync } from 'node:fs';

const releases = new Map<number, () => void>();

/** A file, which is closed with its process. */
export function openSync(path: string, flags: string, mode: number): number {
  const file = platformOpen(path, flags, mode);
  releases.set(
    file,
    theWorld().lane.own(() => platformClose(file)),
  );
  return file;
}

export function closeSync(file: number): void {
  releases.get(file)?.();
  platformClose(file);
}

export function writeSync(file: number, bytes: Buffer, from: number): number {
  if (theWorld().disk.isFull) throw Object.assign(new Error('ENOSPC: no space left on device'), { code: 'ENOSPC' });
  return platformWrite(file, bytes, from);
}

/** The file is in memory: what is written is there, and takes as long as the world says. */
export function fsync(_file: number, done: (error: Error | null) => void): void {
  const { lane, disk } = theWorld();
  lane.later(disk.syncMs, () => done(null));
}
