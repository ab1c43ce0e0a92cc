import type { CopyProgress } from '../../store/copy-store.ts';
import type { Output } from '../context.ts';

const barLength = 30;

/** Shows how far a copy is: a bar that is drawn over on a terminal, a line for each table anywhere else. */
export function progressOn({ isTerminal, write }: Output): (progress: CopyProgress) => void {
  let shown = '';
  return (progress) => {
    const text = isTerminal ? `\r${barOf(progress)}\x1b[K${isDone(progress) ? '\n' : ''}` : lineOf(progress);
    if (text === shown) return;
    shown = text;
    write(text);
  };
}

function isDone({ done, total, table }: CopyProgress): boolean {
  return done === total && table === 'operator_tokens';
}

function barOf({ table, done, total }: CopyProgress): string {
  const share = total === 0 ? 1 : Math.min(1, done / total);
  const filled = Math.floor(share * barLength);
  return `[${'#'.repeat(filled)}${'.'.repeat(barLength - filled)}] ${Math.floor(share * 100)} % of ${total} rows, ${table}`;
}

/** The same for every page of a table, so that it is written once. */
function lineOf({ table }: CopyProgress): string {
  return `Copying ${table}\n`;
}
