import type { ServiceBoard } from '../board/service-board.ts';
import {
  dayOf,
  firstDayAt,
  type HistoryComponent,
  type HistoryDay,
  type Incident,
  type StatusHistory,
} from '../board/status-history.ts';
import type { EpochMs, Timer } from '../ground/clock.ts';
import { tellingOnce } from '../ground/log.ts';
import { SerialQueue } from '../ground/serial-queue.ts';
import type { Store } from '../store/store.ts';
import { judgeAbsences } from './absences.ts';
import { SignsOfLife, type SignsOptions } from './signs-of-life.ts';
import { incidentAfterMs } from './spans.ts';

const sampleEveryMs = 1_000;
const saveEveryMs = 60_000;
const seenName = 'status-seen';

interface RecorderOptions extends SignsOptions {
  readonly store: Pick<Store, 'statusRecords' | 'snapshots' | 'windows' | 'processLives'>;
  readonly service: Pick<ServiceBoard, 'read' | 'history'>;
  /** Whether this process writes: the one that runs the feed. */
  readonly isWriter: () => boolean;
}

/** `noticed` until it has lasted long enough to be an incident; then the store's id of that. */
type Stage = 'noticed' | 'saving' | { readonly open: string };

/** A time in which market data was not operational. The API itself always is, or in maintenance. */
interface KnownIncident {
  readonly state: Incident['state'];
  readonly from: EpochMs;
  /** When it was noticed, which is later where it began unnoticed. */
  readonly noticedAt: EpochMs;
  /** The same by the monotonic clock, which nobody sets. */
  readonly noticedMs: number;
  stage: Stage;
  /** `undefined` while it lasts. */
  to?: EpochMs;
  /** How long it had lasted from when it was noticed, once it is over. */
  lastedMs?: number;
}

type PublicServiceStatus = keyof HistoryDay['states'];
type States = Record<PublicServiceStatus, number>;

/**
 * Keeps what the components of the service were, day by day, and their incidents. Every process reads them once a
 * minute for its status page; one writes, in pieces of a minute. What cannot be saved is saved with the next piece.
 */
export class StatusRecorder {
  readonly #options: RecorderOptions;
  #times = new Map<string, { component: HistoryComponent; day: EpochMs; states: States }>();
  #incident: KnownIncident | undefined;
  /** Incidents that are over, until the store has their end. */
  readonly #ended: KnownIncident[] = [];
  /** Writes to the store, one after the other. */
  readonly #queue = new SerialQueue();
  #sampledMs: number | undefined;
  #savedMs = Number.NEGATIVE_INFINITY;
  #wasWriter = false;
  #maintainedAt: EpochMs | undefined;
  readonly #guarded: ReturnType<typeof tellingOnce>;
  readonly #signs: SignsOfLife;
  #timer: Timer | undefined;

  constructor(options: RecorderOptions) {
    this.#options = options;
    this.#signs = new SignsOfLife(options);
    this.#guarded = tellingOnce((err) => options.log.error({ err }, 'the history of the status could not be kept'));
  }

  /** Shows what was; records from now on. */
  async start(): Promise<void> {
    await this.#signs.start();
    this.#timer = this.#options.clock.every(sampleEveryMs, () => this.#sample());
    this.#sample();
    await this.#queue.idle();
  }

  /** Saves one last time. */
  async stop(): Promise<void> {
    this.#timer?.cancel();
    await this.#signs.stop();
    if (this.#wasWriter) this.#next(() => this.#save());
    await this.#queue.idle();
  }

  #sample(): void {
    const { clock, isWriter } = this.#options;
    const nowMs = clock.monotonicMs();
    // The store keeps whole milliseconds.
    const sinceMs = this.#sampledMs === undefined ? 0 : Math.round(nowMs - this.#sampledMs);
    this.#sampledMs = nowMs;
    const writes = isWriter();
    if (writes && !this.#wasWriter) this.#next(() => this.#takeOver(clock.now()));
    else if (writes) this.#count(clock.now(), sinceMs);
    if (!writes) this.#incident = undefined;
    this.#wasWriter = writes;
    if (nowMs - this.#savedMs < saveEveryMs) return;
    this.#savedMs = nowMs;
    this.#next(() => (writes ? this.#save() : this.#show()));
  }

  /** @param sinceMs since the last sample; one that came much too late says nothing about the time between */
  #count(now: EpochMs, sinceMs: number): void {
    const { api, ticker, flow } = this.#options.service.read(now);
    const isMaintained = api === 'maintenance';
    if (isMaintained) this.#maintainedAt = now;
    const state = isMaintained ? 'maintenance' : ticker;
    if (sinceMs <= saveEveryMs) {
      this.#add('api', dayOf(now), api, sinceMs);
      this.#add('market-data', dayOf(now), state, sinceMs);
    }
    // In maintenance silence is nobody's trouble.
    const isSilent = flow.state === 'silent';
    const silentFrom = isSilent ? (Math.max(flow.since ?? 0, this.#maintainedAt ?? 0) as EpochMs) : undefined;
    this.#follow(this.#kindOf(state, silentFrom, now), silentFrom, now);
  }

  #add(component: HistoryComponent, day: EpochMs, state: PublicServiceStatus, durationMs: number): void {
    const name = `${component} ${day}`;
    const none = { operational: 0, degraded: 0, maintenance: 0, outage: 0 };
    const time = this.#times.get(name) ?? { component, day, states: none };
    time.states[state] += durationMs;
    this.#times.set(name, time);
  }

  /** Trouble in which nothing arrives is told as that, also while the status still says `degraded`. */
  #kindOf(state: PublicServiceStatus, silentFrom: EpochMs | undefined, now: EpochMs): Incident['state'] | undefined {
    if (state !== 'degraded' && state !== 'outage') return undefined;
    if (silentFrom === undefined) return 'degraded';
    // A silence too short for an incident of its own is part of the one that lasts.
    const isPause = this.#incident?.state === 'degraded' && now - silentFrom < incidentAfterMs;
    return isPause ? 'degraded' : 'outage';
  }

  /** @param silentFrom 0 where there never was any data; `undefined` while it flows */
  #follow(state: Incident['state'] | undefined, silentFrom: EpochMs | undefined, now: EpochMs): void {
    const known = this.#incident;
    const nowMs = this.#options.clock.monotonicMs();
    if (known?.state !== state) {
      const from = state === 'outage' && silentFrom !== undefined && silentFrom > 0 ? silentFrom : now;
      const until = Math.max(from, known?.from ?? 0) as EpochMs;
      if (known !== undefined) {
        known.to = until;
        known.lastedMs = nowMs - known.noticedMs - (now - until);
        this.#ended.push(known);
        this.#next(() => this.#saveEnds());
      }
      const noticedAt = state === 'outage' && known !== undefined ? until : now;
      const noticedMs = Math.max(known?.noticedMs ?? 0, nowMs - (now - noticedAt));
      this.#incident = state && { state, from, noticedAt, noticedMs, stage: 'noticed' };
    }
    const current = this.#incident;
    if (current === undefined || current.stage !== 'noticed') return;
    // Trouble in which data arrives has lasted until the last of it: what follows may become an incident of its own.
    const silentMs = current.state === 'outage' ? 0 : now - (silentFrom ?? now);
    if (nowMs - current.noticedMs - silentMs < incidentAfterMs) return;
    current.stage = 'saving';
    this.#next(() => this.#begin(current));
  }

  async #begin(trouble: KnownIncident): Promise<void> {
    const { state, from } = trouble;
    const { statusRecords } = this.#options.store;
    try {
      const incident = { component: 'market-data', state, from, to: undefined } as const;
      trouble.stage = { open: await statusRecords.addIncident(incident) };
    } catch (error) {
      // Tried again with the next sample.
      trouble.stage = 'noticed';
      throw error;
    }
    await this.#show();
  }

  async #saveEnds(): Promise<void> {
    const { statusRecords } = this.#options.store;
    for (let ended = this.#ended[0]; ended !== undefined; ended = this.#ended[0]) {
      const { stage, state, from, noticedAt, to = noticedAt, lastedMs = 0 } = ended;
      if (typeof stage === 'object') await statusRecords.endIncident(stage.open, to);
      // Its begin could not be saved.
      else if (lastedMs >= incidentAfterMs)
        await statusRecords.addIncident({ component: 'market-data', state, from, to });
      this.#ended.shift();
    }
    await this.#show();
  }

  /** The process that wrote before is gone: its incidents end where it was last seen. */
  async #takeOver(now: EpochMs): Promise<void> {
    const { store } = this.#options;
    const seen = await this.#seen();
    const open = (await store.statusRecords.incidents(firstDayAt(now), 1_000)).filter(({ to }) => to === undefined);
    for (const { id, from } of open) await store.statusRecords.endIncident(id, Math.max(from, seen ?? now) as EpochMs);
  }

  /** When the status was last recorded, by whatever process. */
  async #seen(): Promise<EpochMs | undefined> {
    const saved = await this.#options.store.snapshots.load(seenName);
    return saved && (Number(saved.payload) as EpochMs);
  }

  async #save(): Promise<void> {
    const { store, clock } = this.#options;
    const now = clock.now();
    const times = this.#times;
    this.#times = new Map();
    try {
      await store.statusRecords.addTime([...times.values()]);
    } catch (error) {
      for (const { component, day, states } of times.values())
        for (const [state, durationMs] of Object.entries(states))
          this.#add(component, day, state as PublicServiceStatus, durationMs);
      throw error;
    }
    await judgeAbsences(store, now, await this.#seen());
    await store.snapshots.save(seenName, String(now));
    await store.statusRecords.prune(firstDayAt(now));
    await this.#saveEnds();
  }

  async #show(): Promise<void> {
    const { store, service, clock } = this.#options;
    service.history = await loadStatusHistory(store, clock.now());
  }

  #next(run: () => Promise<void>): void {
    void this.#queue.run(() => this.#guarded(run));
  }
}

/** More than any page shows. */
const listedMax = 200;

/** Reads what the store knows of the last days, and every window that was not cancelled. */
export async function loadStatusHistory(
  { statusRecords, windows }: Pick<Store, 'statusRecords' | 'windows'>,
  now: EpochMs,
): Promise<StatusHistory> {
  const since = firstDayAt(now);
  const [days, incidents, past, current] = await Promise.all([
    statusRecords.days(since),
    statusRecords.incidents(since, listedMax),
    windows.listPast(now, listedMax),
    windows.list({ currentAt: now }),
  ]);
  const announced = [...current.toReversed(), ...past].filter(
    ({ cancelledAt, to }) => cancelledAt === undefined && to >= since,
  );
  return {
    days: days.map((each): HistoryDay => ({ ...each, component: each.component as HistoryComponent })),
    incidents: incidents.map((each): Incident => ({ ...each, component: each.component as HistoryComponent })),
    windows: announced.map(({ id, from, to, description, createdAt }) => ({ id, from, to, description, createdAt })),
  };
}
