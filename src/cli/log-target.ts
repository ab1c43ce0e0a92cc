import { fstatSync, write } from 'node:fs';
import type { LogTarget } from '../ground/log-sink.ts';

/** The part of a stream's handle that the platform has for pipes and sockets. */
interface Handle {
  setBlocking?(isBlocking: boolean): void;
}

/**
 * Standard error as the log of a service: whatever is behind it, writing holds up nothing. A file is written without
 * the stream, which ends at its first error; a pipe or a socket no longer blocks the process until its reader takes
 * what it is given.
 */
export function logTargetOf(stream: NodeJS.WriteStream & { readonly fd: number }): LogTarget {
  const kind = fstatSync(stream.fd);
  if (kind.isFile() || (kind.isCharacterDevice() && !stream.isTTY)) {
    return { write: (text, done) => writeAll(stream.fd, Buffer.from(text), done) };
  }
  if (kind.isFIFO() || kind.isSocket()) (stream as { _handle?: Handle })._handle?.setBlocking?.(false);
  return { write: (text, done) => void stream.write(text, (error) => done(error ?? undefined)) };
}

/** Writes what is left of a text after each part that the system took. */
function writeAll(fd: number, bytes: Buffer, done: (error?: Error) => void): void {
  write(fd, bytes, (error, count) => {
    if (error !== null) done(error);
    else if (count < bytes.length) writeAll(fd, bytes.subarray(count), done);
    else done();
  });
}
