import { isoInstant } from '../contract/instant.ts';
import { count, instantMs, nullableCount, nullableLine, openEnum } from '../operator/fields.ts';
import { findingText } from '../operator/record.ts';
import { condition } from './condition.ts';

const gapShownMs = 15 * 60_000;

/** Conditions of the record of what was quoted and served. */
export const record = {
  RecordHasGap: condition({
    event: 'record',
    severity: 'critical',
    forMs: 0,
    title: 'The record of quotes and answers has a gap',
    find({ recording }, hasGrown) {
      const { gaps = 0, gapSince } = recording() ?? {};
      // In this order: a gap is shown for a while from its end on.
      return gapSince !== undefined || hasGrown(gaps, gapShownMs);
    },
    rule: {
      expr: 'mdapi_record_gap_seconds > 0 or (increase(mdapi_record_gaps_total[15m]) > 0)',
      description: '{{ $labels.instance }} published prices that its record lacks.',
    },
  }),

  RecordEndsSilent: condition({
    event: 'record',
    severity: 'warning',
    forMs: 0,
    title: 'A process ended without closing its record',
    values: {
      chain: count('The chain of its segments.', 3),
      endsAtMs: instantMs('Where its part of the record ends.'),
    },
    *find({ recording }) {
      for (const { chain, at } of recording()?.silent ?? [])
        yield { subject: String(chain), values: { chain, endsAtMs: at } };
    },
    sentence: ({ chain, endsAtMs }) =>
      `the process of chain ${chain} is silent: its part of the record ends at ${isoInstant(endsAtMs)}`,
    note: { page: null },
    rule: {
      expr: 'max by (job) (mdapi_record_silent_processes) > 0',
      description:
        '{{ $value }} processes have given no sign of life for 30 s. The last seconds of their record are on their machines alone.',
    },
  }),

  RecordNotWritten: condition({
    event: 'record',
    severity: 'critical',
    forMs: 30_000,
    title: 'The record of quotes and answers cannot be written',
    find: ({ recording }) => recording()?.trouble !== undefined,
    rule: {
      expr: 'mdapi_record_write_failing == 1',
      description:
        '{{ $labels.instance }} keeps it in memory, up to 64 MiB; what does not fit becomes a gap, and what a killed process had is lost.',
    },
  }),

  RecordAltered: condition({
    event: 'record',
    severity: 'critical',
    forMs: 0,
    title: 'The record is not what it was',
    values: {
      what: openEnum(
        ['moved', 'cut_off', 'exchanged'],
        '`moved`: its file or database was moved or exchanged. `cut_off`: its chain ends before the segment. `exchanged`: another segment is in its place.',
      ),
      chain: nullableCount('The chain of the segment; null where all was moved.', 1),
      number: nullableCount('The segment; null where all was moved.', 4_711),
      day: nullableLine('The day whose seal says so; null without one.', '2026-11-20', 10),
    },
    *find({ recording }) {
      const doubt = recording()?.doubt;
      if (doubt?.what === 'moved') yield { values: { what: doubt.what, chain: null, number: null, day: null } };
      else if (doubt !== undefined) yield { values: { ...doubt, day: doubt.day ?? null } };
    },
    sentence({ what, chain, number, day }) {
      const place = { chain: chain ?? 0, number: number ?? 0, ...(day === null ? {} : { day }) };
      const found = what === 'moved' ? { what } : { what, ...place };
      return `the record is not what it was: ${findingText(found)}. Run \`mdapi history verify\``;
    },
    note: { page: null },
  }),
};
