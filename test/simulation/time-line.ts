import type { PlannedFault } from './faults.ts';
import type { Violation } from './rules.ts';
import type { Note } from './world.ts';

/** What a failure is shown from. */
export interface Shown {
  readonly seed: number;
  readonly plan: readonly PlannedFault[];
  readonly violations: readonly Violation[];
  readonly notes: readonly Note[];
}

const beforeMs = 10 * 60_000;
const afterMs = 30_000;
const linesMax = 150;
/** So often is shown what differs in its numbers only. */
const alikeMax = 3;

function clockOf(atMs: number): string {
  return `${(atMs / 1_000).toFixed(3).padStart(10)} s`;
}

/** The notes around the first violation, without what is like some before. */
export function around({ violations, notes }: Shown): readonly Note[] {
  const at = violations[0]?.atMs ?? notes.at(-1)?.atMs ?? 0;
  const near = notes.filter(({ atMs }) => atMs >= at - beforeMs && atMs <= at + afterMs);
  const alike = Map.groupBy(near, ({ who, text }) => `${who} ${text.replaceAll(/\d+/g, '#')}`);
  const told = [...alike.values()].flatMap((all) =>
    all.slice(0, alikeMax).map(({ text, ...note }, index) => {
      const isCut = index === alikeMax - 1 && all.length > alikeMax;
      return { ...note, text: `${text.slice(0, 180)}${isCut ? `, and ${all.length - alikeMax} more like it` : ''}` };
    }),
  );
  return told.sort((one, other) => one.atMs - other.atMs).slice(-linesMax);
}

/** A failure as text: the faults that it needs, and what each process, source and witness saw around it. */
export function timeLine(shown: Shown): string {
  const faults = shown.plan.map(
    ({ kind, atMs, forMs }) => `${clockOf(atMs)}  ${kind}, for ${(forMs / 1_000).toFixed(0)} s`,
  );
  const lines = around(shown).map(({ atMs, who, text }) => `${clockOf(atMs)}  ${who.padEnd(12)} ${text}`);
  return [`seed ${shown.seed}, with these faults:`, ...faults, '', 'what was seen:', ...lines].join('\n');
}

const width = 1_200;
const left = 120;
const rowHeight = 34;
const barHeight = 22;

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;');
}

const colours = [
  [/^witness/, '#c0392b'],
  [/killed|lost|failed|does not start/, '#c0392b'],
  [/warn|error/, '#d68910'],
  [/begins/, '#884ea0'],
  [/ends|serves|starts/, '#1e8449'],
] as const;

/**
 * The same as one picture (SVG): a bar for each fault while it lasts, a row for each of them, a mark for each event,
 * with its text where the pointer rests.
 */
export function picture(shown: Shown): string {
  const notes = around(shown);
  const rows = [...new Set(notes.map(({ who }) => who))].sort();
  const [first = 0, last = 1] = [notes[0]?.atMs, notes.at(-1)?.atMs];
  const x = (atMs: number) => left + ((width - left - 20) * (atMs - first)) / Math.max(1, last - first);
  const lasting = shown.plan.filter(({ atMs, forMs }) => atMs <= last && atMs + forMs >= first);
  const barsHeight = lasting.length * barHeight;
  const y = (who: string) => 40 + barsHeight + rows.indexOf(who) * rowHeight;
  const height = 80 + barsHeight + rows.length * rowHeight;
  const bars = lasting.map(({ kind, atMs, forMs }, index) => {
    const [from, to] = [x(Math.max(first, atMs)), x(Math.min(last, atMs + forMs))];
    const top = 28 + index * barHeight;
    const title = `<title>${escaped(`${kind}, ${clockOf(atMs).trim()} to ${clockOf(atMs + forMs).trim()}`)}</title>`;
    const size = `x="${from.toFixed(1)}" y="${top}" width="${(to - from).toFixed(1)}" height="${barHeight - 4}"`;
    const anchor = from > width / 2 ? `x="${(from - 4).toFixed(1)}" text-anchor="end"` : `x="${(from + 4).toFixed(1)}"`;
    return `<rect class="fault" ${size} fill="#e8daef">${title}</rect><text ${anchor} y="${top + 13}">${escaped(kind)}</text>`;
  });
  const instants = [0, 0.25, 0.5, 0.75, 1].map((part) => {
    const atMs = first + part * (last - first);
    const anchor = part === 0 ? 'start' : part === 1 ? 'end' : 'middle';
    return `<text x="${x(atMs).toFixed(1)}" y="${height - 12}" text-anchor="${anchor}" fill="#666">${clockOf(atMs).trim()}</text>`;
  });
  const lines = rows.map(
    (who) =>
      `<text x="8" y="${y(who) + 4}">${escaped(who)}</text><line x1="${left}" x2="${width - 20}" y1="${y(who)}" y2="${y(who)}" stroke="#ccc"/>`,
  );
  const marks = notes.map(({ atMs, who, text }) => {
    const colour = colours.find(([words]) => words.test(who === 'witness' ? who : text))?.[1] ?? '#2874a6';
    const title = `<title>${escaped(`${clockOf(atMs).trim()} ${text}`)}</title>`;
    return `<circle cx="${x(atMs).toFixed(1)}" cy="${y(who)}" r="${who === 'witness' ? 6 : 4}" fill="${colour}">${title}</circle>`;
  });
  const caption = `seed ${shown.seed}: ${shown.violations[0]?.rule ?? 'nothing wrong'}, ${clockOf(first).trim()} to ${clockOf(last).trim()}`;
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" font-family="sans-serif" font-size="12">`,
    '<rect width="100%" height="100%" fill="white"/>',
    `<text x="8" y="18" font-size="14">${escaped(caption)}</text>`,
    ...bars,
    ...lines,
    ...marks,
    ...instants,
    '</svg>',
  ].join('\n');
}
