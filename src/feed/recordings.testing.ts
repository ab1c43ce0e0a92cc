import { readFileSync } from 'node:fs';
import { asObject, asText } from './wire.ts';

const folder = new URL('../../exchange-simulator/recordings/', import.meta.url);

/** One frame of a recorded connection. */
export interface RecordedFrame {
  /** Seconds since the Unix epoch. */
  readonly at: number;
  readonly direction: 'received' | 'sent';
  readonly text: string;
}

/** The answer to one recorded request. */
export interface RecordedAnswer {
  /** Seconds since the Unix epoch. */
  readonly at: number;
  /** Its path, with those parameters that tell it from others of the path. */
  readonly request: string;
  readonly body: string;
}

/** Traffic with an exchange, as one file holds it. */
export interface Recording {
  readonly frames: readonly RecordedFrame[];
  readonly answers: readonly RecordedAnswer[];
}

/** The text of a recording. */
export function recordedText(file: string): string {
  return readFileSync(new URL(file, folder), 'utf8');
}

/**
 * Reads a recording of lines with `at` and `sent`, `received`, or `requested` with `answered`. Other lines are ignored.
 */
export function readRecording(file: string): Recording {
  const frames: RecordedFrame[] = [];
  const answers: RecordedAnswer[] = [];
  for (const line of recordedText(file).trim().split('\n')) {
    const entry = asObject(JSON.parse(line)) ?? {};
    const at = Number(entry.at);
    const [request, body] = [asText(entry.requested), asText(entry.answered)];
    if (request !== undefined && body !== undefined) answers.push({ at, request, body });
    for (const direction of ['received', 'sent'] as const) {
      const text = asText(entry[direction]);
      if (text !== undefined) frames.push({ at, direction, text });
    }
  }
  return { frames, answers };
}

/** The texts of a recorded connection's frames, as they were received or sent. */
export function recordedFrames(file: string, direction: 'received' | 'sent' = 'received'): string[] {
  return readRecording(file).frames.flatMap((frame) => (frame.direction === direction ? frame.text : []));
}
