import type { Machine } from '../machine.ts';
import type { Section } from './section.ts';
import { machineText } from './text.ts';

/** The whole report as a page of the documentation. */
export function reportPage(date: string, command: string, machine: Machine, sections: readonly Section[]): string {
  return [
    '# Performance',
    '',
    `Written by \`${command}\` on ${date}. ${machineText(machine)}.`,
    '',
    'Ratios carry over to other machines, absolute figures do not: measure on yours with `npm run bench`.',
    '',
    ...sections.flatMap(sectionLines),
  ].join('\n');
}

function sectionLines({ title, meaning, columns, rows, bars }: Section): string[] {
  const row = (cells: readonly string[]) => `| ${cells.join(' | ')} |`;
  const promised = bars.map(({ promise, measured, met }) => row([promise, measured, met ? 'met' : '**not met**']));
  return [
    `## ${title}`,
    '',
    meaning,
    '',
    row(columns),
    row(columns.map(() => '---')),
    ...rows.map(row),
    '',
    ...(promised.length === 0 ? [] : [row(['promised', 'measured', '']), row(['---', '---', '---']), ...promised, '']),
  ];
}
