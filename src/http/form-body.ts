import type { IncomingMessage } from 'node:http';
import type { Clock } from '../ground/clock.ts';

/** Longer than any form of the pages. */
export const formLengthMax = 4_096;
const timeoutMs = 5_000;

/**
 * Reads a form that is announced as no longer. Resolves with `undefined` when it does not come in time; never rejects.
 */
export function readForm(request: IncomingMessage, clock: Clock): Promise<string | undefined> {
  return new Promise((resolve) => {
    let text = '';
    const timeout = clock.after(timeoutMs, () => resolve(undefined));
    request.on('close', () => timeout.cancel());
    request.on('end', () => resolve(text));
    // Forms are ASCII: whatever is not is escaped.
    request.on('data', (chunk: Buffer) => {
      text += chunk.toString('latin1');
    });
  });
}
