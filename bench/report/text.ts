import type { Machine } from '../machine.ts';
import type { Section } from './section.ts';

/** A section as aligned text for a terminal. */
export function sectionText({ title, meaning, columns, rows, bars }: Section): string {
  const widths = columns.map((column, index) => Math.max(column.length, ...rows.map((row) => row[index]!.length)));
  const line = (cells: readonly string[]) =>
    cells
      .map((cell, index) => (isFigure(rows, index) ? cell.padStart(widths[index]!) : cell.padEnd(widths[index]!)))
      .join('  ')
      .trimEnd();
  const verdicts = bars.map(({ promise, measured, met }) => `${met ? 'met    ' : 'NOT MET'}  ${promise}: ${measured}`);
  return [
    title,
    wrapped(meaning),
    '',
    line(columns),
    line(widths.map((width) => '-'.repeat(width))),
    ...rows.map(line),
    '',
    ...verdicts,
    '',
  ].join('\n');
}

/** Figures are aligned to the right. */
function isFigure(rows: readonly (readonly string[])[], index: number): boolean {
  return rows.every((row) => /^[-\d]/.test(row[index]!));
}

function wrapped(text: string): string {
  return text.replace(/(?![^\n]{1,110}$)([^\n]{1,110})\s/g, '$1\n');
}

export function machineText(machine: Machine): string {
  const { processor, cores, memory, system, node, loadGenerator, nginx, pinned, loadBefore } = machine;
  const cells = [
    `${processor}, ${cores} cores, ${memory}`,
    system,
    `Node ${node}`,
    `load from ${loadGenerator}`,
    `nginx ${nginx}`,
    pinned ? 'server and load generator bound to a core each' : 'NOT bound to cores',
    `load average before ${loadBefore.toFixed(2)}`,
  ];
  return cells.join('; ');
}
