import { every, steadyMs, timeoutSignal, wallClockMs } from './clock.ts';

/** What the portal reads of `/status/summary.json`. */
export interface Summary {
  readonly page: { readonly updated_at: string };
  readonly status: { readonly indicator: string; readonly description: string };
  readonly components: readonly Component[];
  readonly incidents: readonly SummaryIncident[];
  readonly scheduled_maintenances: readonly Maintenance[];
}

interface Component {
  readonly id: string;
  readonly status: string;
  readonly updated_at: string | null;
  /** Of the market data: `flowing`, `polled` or `silent`. */
  readonly data_flow?: string;
}

interface SummaryIncident {
  readonly id: string;
  /** Of those that people write. */
  readonly updated_at?: string;
}

export interface Maintenance {
  readonly id: string;
  readonly name: string;
  readonly status: string;
  readonly scheduled_for: string;
  readonly scheduled_until: string;
}

/** What is known at this moment. */
export interface Knowledge {
  /** The last answer; `undefined` before the first. */
  readonly summary: Summary | undefined;
  /** How long ago it came, in milliseconds. */
  readonly sinceAnswerMs: number;
  /** When it came, by the reader's clock. */
  readonly answeredAtMs: number;
  /** When answers stopped, by the reader's clock; `undefined` while they arrive. */
  readonly unreachableSinceMs: number | undefined;
}

const askEveryMs = 5_000;
const timeoutMs = 4_000;
/** An older answer is not shown as the present. */
const freshForMs = 3 * askEveryMs;

/** Asks for the summary every few seconds and reports what is known, at each answer and once a second. */
export function watchSummary(address: string, report: (knowledge: Knowledge) => void): void {
  let summary: Summary | undefined;
  let answered = { wallMs: wallClockMs(), steadyMs: steadyMs() };
  let failingSinceMs: number | undefined;
  let asking = false;
  let askedMs = Number.NEGATIVE_INFINITY;

  const show = () => {
    // A machine that slept, or a clock that was set, shows in one of the two and not in the other.
    const sinceAnswerMs = Math.max(0, steadyMs() - answered.steadyMs, wallClockMs() - answered.wallMs);
    const tooOld = sinceAnswerMs > freshForMs ? answered.wallMs : undefined;
    report({ summary, sinceAnswerMs, answeredAtMs: answered.wallMs, unreachableSinceMs: failingSinceMs ?? tooOld });
  };
  const ask = async () => {
    if (asking) return;
    asking = true;
    askedMs = steadyMs();
    const askedAtMs = wallClockMs();
    try {
      summary = await fetchSummary(address);
      answered = { wallMs: wallClockMs(), steadyMs: steadyMs() };
      failingSinceMs = undefined;
    } catch {
      failingSinceMs ??= askedAtMs;
    }
    asking = false;
    show();
  };
  const askNow = () => {
    if (document.visibilityState === 'visible') void ask();
  };

  every(1_000, () => {
    show();
    if (steadyMs() - askedMs >= askEveryMs) askNow();
  });
  document.addEventListener('visibilitychange', () => {
    show();
    askNow();
  });
  // A page restored from the browser's cache is out of date.
  addEventListener('pageshow', ({ persisted }) => {
    if (persisted) show();
    askNow();
  });
  addEventListener('online', askNow);
  void ask();
}

async function fetchSummary(address: string): Promise<Summary> {
  const response = await fetch(address, { cache: 'no-store', signal: timeoutSignal(timeoutMs) });
  if (!response.ok) throw new Error(`answered ${response.status}`);
  return (await response.json()) as Summary;
}
