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
    `Written by \`npm run soak -- --sources ${options.sources.join(',')} --minutes ${options.minutes} --requests ${options.requests} --write-docs\`: a real \`mdapi serve\` process,`,
    'simulated exchanges behind a faulty network, a fault of one source about every thirty seconds, maintenance windows, and keys that',
    'come and go.',
    '',
    `${minutes.toFixed(1)} minutes, ${options.clients} clients, seed ${options.seed}, Node ${process.versions.node}, ${process.platform} ${process.arch}, all on one machine:`,
    '',
    '![Memory, latency and age of the data over time, with faults and maintenance windows](soak.svg)',
    '',
    table(
      ['promise', 'measured', ''],
      bars.map(({ promise, measured, isMet }) => [promise, measured, verdicts[`${isMet}`]]),
    ),
    '',
    ...memoryLines(record, minutes),
    '',
    `${record.latencies.length} answers, ${(record.latencies.length / minutes / 60).toFixed(0)} a second. Latency to the last byte: p50 ${ms(0.5)}, p99 ${ms(0.99)}, p99.9 ${ms(0.999)}, longest ${ms(1)}.`,
    '',
    countLine('Answers', record.answers),
    '',
    countLine('No answer', record.lost),
    '',
    `Connections cut because their client did not read: ${record.cuts.count}. ${record.keys.created} new keys were accepted within ${Math.round(record.keys.takenMsMax)} ms, ${record.keys.revoked} revoked ones refused within ${Math.round(record.keys.refusedMsMax)} ms.`,
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
  const slowest = Math.max(...record.samples.map(({ eventLoopP99Ms }) => eventLoopP99Ms)).toFixed(0);
  return [
    `Slopes: Theil-Sen over the minimum of each minute, after ${memoryOf(record, minutes).warmUpMinutes.toFixed(1)} minutes of warm-up; not decided where 1 MB/h lies in the interval. Event-loop delay: p99 at most ${slowest} ms within a second.`,
  ];
}

/** How soon the feed recovered, and from which faults it never did. */
function recoveryText(recoveries: readonly Recovery[]): string {
  const kinds = new Set(recoveries.map(({ what }) => what)).size;
  const took = recoveries.filter(({ tookMs = Number.POSITIVE_INFINITY }) => tookMs <= 5_000).length;
  const slowest = recoveries.toSorted((a, b) => (b.tookMs ?? 0) - (a.tookMs ?? 0))[0];
  const lost = recoveries.filter(({ tookMs }) => tookMs === undefined).map(({ what }) => what);
  const longest =
    slowest === undefined ? '' : `; the slowest took ${((slowest.tookMs ?? 0) / 1000).toFixed(1)} s (${slowest.what})`;
  const never = lost.length === 0 ? '' : ` Not recovered: ${lost.join(', ')}.`;
  return `Of ${recoveries.length} faults of ${kinds} kinds the feed recovered from ${took} within five seconds${longest}.${never}`;
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
      kind,
      what,
      fromMinute: minute(fromMs),
      toMinute: Math.min(minutes, minute(toMs ?? Date.now())),
    })),
  });
}
