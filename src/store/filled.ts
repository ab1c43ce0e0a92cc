import { readFileSync } from 'node:fs';
import { filled, type Values } from '../ground/filled.ts';

/** The statements of an SQL file, filled: a blank line stands between two. */
export function statementsIn(file: URL, values: Values): readonly string[] {
  return filled(readFileSync(file, 'utf8'), values)
    .trim()
    .split(/\n{2,}/);
}
