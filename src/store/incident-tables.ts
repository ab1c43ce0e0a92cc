import type { EpochMs } from '../ground/clock.ts';

/** A time that the service itself found a part not operational in. */
export interface IncidentTable {
  id: string;
  component: string;
  state: 'degraded' | 'outage';
  from_ms: EpochMs;
  /** Null while it lasts. */
  to_ms: EpochMs | null;
}

/** The states of an incident that people write, in their usual order; the last is final. */
export type IncidentState = 'investigating' | 'identified' | 'monitoring' | 'resolved';

/** An incident as people tell it. What was measured stands apart from it, in {@link IncidentTable}. */
export interface WrittenIncidentTable {
  /** That of the found outage that it tells of, where it is `found`. */
  id: string;
  found: number;
  /** English. What has no Czech is shown in English. */
  title: string;
  title_cs: string | null;
  /** The parts of the service that it concerns, with a space between. */
  parts: string;
  state: IncidentState;
  from_ms: EpochMs;
  /** Null until it is resolved. */
  to_ms: EpochMs | null;
  /** A text on what was learnt of it afterwards. */
  review: string | null;
  review_cs: string | null;
  reviewed_at_ms: EpochMs | null;
  created_at_ms: EpochMs;
  /** When it last changed, however little. */
  updated_at_ms: EpochMs;
}

/** A piece of news of an incident, and when it was told. Never changed. */
export interface IncidentUpdateTable {
  incident_id: string;
  /** 1 for the first. */
  number: number;
  state: IncidentState;
  at_ms: EpochMs;
  text: string;
  text_cs: string | null;
}
