import { readFileSync } from 'node:fs';
import { asObject } from './wire.ts';

const folder = new URL('../../exchange-simulator/recordings/', import.meta.url);

/** The text of a recording. */
export function recordedText(file: string): string {
  return readFileSync(new URL(file, folder), 'utf8');
}

/** The texts of a recorded connection's frames, as they were received or sent. */
export function recordedFrames(file: string, direction: 'received' | 'sent' = 'received'): string[] {
  const lines = recordedText(file).trim().split('\n');
  return lines.flatMap((line) => {
    const frame = asObject(JSON.parse(line))?.[direction];
    return typeof frame === 'string' ? [frame] : [];
  });
}
