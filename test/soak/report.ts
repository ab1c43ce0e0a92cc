import { barsOf, memoryOf, type ServerEnd } from './bars.ts';
import type { SoakOptions } from './options.ts';
import { plotSvg } from './plot.ts';
import type { Recovery, Sample, SoakRecord } from './record.ts';
import { quantile } from './statistics.ts';

/** What a run comes to. */
export interface Report {
  readonly markdown: string;
  readonly svg: string;
  readonly isMet: boolean;
}

/** @param minutes how long it ran in fact */
export function reportOf(record: SoakRecord, options: SoakOptions, minutes: number, end: ServerEnd): Report {
  const bars = barsOf(record, options.sources.length, minutes, end);
  const verdicts = { true: 'met', false: '**missed**', undefined: 'not decided' };
  const markdown = [
    '# Soak',
    '',
    `Written by \`npm run soak -- --sources ${options.sources.join(',')} --minutes ${options.minutes} --requests ${options.requests} --write-docs\`: a real \`mdapi serve\` process and`,
    'simulated exchanges with a faulty network between them, clients of every kind, a fault of one source about every thirty seconds,',
    'of each in turn, maintenance windows, and keys created and revoked. Each price of one market is set once only, on all exchanges.',
    'Tests of the single faults: [fault rows](../../test/faults/rows.md).',
    '',
    `${minutes.toFixed(1)} minutes, ${options.clients} clients, seed ${options.seed}, sources ${options.sources.join(', ')}, Node ${process.versions.node}, ${process.platform} ${process.arch}. Clients, exchange and service shared one machine.`,
    '',
    '![Memory, latency and age of the data over time, with faults and maintenance windows](soak.svg)',
    '',
    '## Bars',
    '',
    table(
      ['promise', 'measured', ''],
      bars.map(({ promise, measured, isMet }) => [promise, measured, verdicts[`${isMet}`]]),
    ),
    '',
    ...memoryLines(record, minutes),
    '',
    '## Requests',
    '',
    `${record.latencies.length} answers, ${(record.latencies.length / minutes / 60).toFixed(0)} a second. Latency from the request’s first byte to the answer’s last: p50 ${ms(0.5)}, p99 ${ms(0.99)}, p99.9 ${ms(0.999)}, longest ${ms(1)}.`,
    '',
    countLine('Answers', record.answers),
    '',
    countLine('No answer', record.lost),
    '',
    `Connections cut because their client did not read: ${record.cuts.count}. Keys created: ${record.keys.created}, accepted within ${Math.round(record.keys.takenMsMax)} ms; revoked: ${record.keys.revoked}, refused within ${Math.round(record.keys.refusedMsMax)} ms (checked every 50 ms).`,
    '',
    '## Feed faults',
    '',
    recoveryText(record.recoveries),
    '',
    ...faultLines(record, end),
  ];
  return {
    markdown: `${markdown
      .join('\n')
      .replaceAll(/\n{3,}/g, '\n\n')
      .trimEnd()}\n`,
    svg: svgOf(record, minutes),
    isMet: bars.every(({ isMet }) => isMet !== false),
  };

  function ms(share: number): string {
    const value = quantile(record.latencies, share);
    return value === undefined ? '-' : `${value.toFixed(1)} ms`;
  }
}

function memoryLines(record: SoakRecord, minutes: number): string[] {
  const { samples, liveMemory } = record;
  const range = <Item>(items: readonly Item[], value: (item: Item) => number) => {
    const values = items.map(value);
    return `${Math.min(...values).toFixed(0)} to ${Math.max(...values).toFixed(0)}`;
  };
  const slowest = Math.max(...samples.map(({ eventLoopP99Ms }) => eventLoopP99Ms)).toFixed(0);
  return [
    `Slopes are Theil-Sen estimates over the minimum of each minute, after ${memoryOf(record, minutes).warmUpMinutes.toFixed(1)} minutes of warm-up, with 95 % intervals. A bar is met if the whole interval is below it, missed if all of it is above, else not decided.`,
    '',
    `Memory in use ${range(liveMemory, ({ heapMb, buffersMb }) => heapMb + buffersMb)} MB, resident ${range(samples, ({ residentMb }) => residentMb)} MB. Connections ${range(samples, ({ connections }) => connections)}, timers ${range(samples, ({ timers }) => timers)}. Event-loop delay p99 at most ${slowest} ms within a second.`,
  ];
}

/** The faults that took over five seconds to recover from, or never did, one by one; of the others the number. */
function recoveryText(recoveries: readonly Recovery[]): string {
  const byFault = Map.groupBy(recoveries, ({ what }) => what);
  const slow = [...byFault].toSorted().flatMap(([what, all]) => {
    const lost = all.filter(({ tookMs }) => tookMs === undefined).length;
    const longestMs = Math.max(...all.map(({ tookMs = 0 }) => tookMs));
    if (lost === 0 && longestMs <= 5_000) return [];
    return [[what, String(all.length), `${(longestMs / 1000).toFixed(1)} s`, String(lost)]];
  });
  const rest = `${recoveries.length} faults of ${byFault.size} kinds. Of ${byFault.size - slow.length} kinds the feed recovered within five seconds each time.`;
  if (slow.length === 0) return rest;
  return `${rest} The others:\n\n${table(['fault', 'times', 'recovered within', 'not recovered'], slow)}`;
}

function faultLines({ history, faults, known, undocumented }: SoakRecord, { failures }: ServerEnd): string[] {
  const found = [history.faults, faults, known.faults, undocumented, failures].flatMap((each) => each.slice(0, 20));
  return found.length === 0 ? [] : ['## What was wrong', '', '```', ...found, '```'];
}

function countLine(name: string, counts: ReadonlyMap<string, number>): string {
  if (counts.size === 0) return '';
  const each = [...counts].toSorted((a, b) => b[1] - a[1]).map(([what, count]) => `${what} (${count})`);
  return `${name}: ${each.join(', ')}.`;
}

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |`;
  return [line(head), line(head.map(() => '---')), ...rows.map(line)].join('\n');
}

function svgOf({ samples, bands, liveMemory }: SoakRecord, minutes: number): string {
  const startMs = samples[0]?.atMs ?? 0;
  const minute = (atMs: number) => Math.max(0, (atMs - startMs) / 60_000);
  const points = (value: (sample: Sample) => number | undefined) =>
    samples.map((sample) => [minute(sample.atMs), value(sample)] as const);
  const live = liveMemory.map(({ atMs, heapMb, buffersMb }) => [minute(atMs), heapMb + buffersMb] as const);
  return plotSvg({
    title: 'Soak: memory, latency and age of the data',
    minutes,
    panels: [
      { title: 'Resident memory', unit: 'MB', points: points(({ residentMb }) => residentMb), fromZero: false },
      { title: 'Memory in use after a full garbage collection', unit: 'MB', points: live, fromZero: false },
      { title: 'Latency p99 of each second', unit: 'ms', points: points((s) => s.latencyP99Ms), fromZero: true },
      { title: 'Age of the market data', unit: 's', points: points(({ dataAgeS }) => dataAgeS), fromZero: true },
    ],
    bands: bands.map(({ kind, what, fromMs, toMs }) => ({
      ...{ kind, what },
      fromMinute: minute(fromMs),
      toMinute: Math.min(minutes, minute(toMs ?? Date.now())),
    })),
  });
}
