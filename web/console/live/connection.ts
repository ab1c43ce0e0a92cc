import { monotonicMs, nowMs } from '../clock.ts';
import { Store } from '../store.ts';

/** Whether the service answers this page. */
export interface Connection {
  /** When the last answer came, by this computer's clock; `undefined` while answers come. */
  readonly lostSinceMs: number | undefined;
}

const answering: Connection = { lostSinceMs: undefined };

export const connection = new Store<Connection>(answering);
let lastAnswerAtMs = nowMs();

export function noteAnswered(): void {
  lastAnswerAtMs = nowMs();
  connection.set(answering);
}

export function noteUnreachable(): void {
  if (connection.value.lostSinceMs === undefined) connection.set({ lostSinceMs: lastAnswerAtMs });
}

let serverAheadMs = nowMs() - monotonicMs();

/** Takes the server's clock from an answer, so that nothing on the page depends on this computer's. */
export function noteServerTime(serverTimeMs: number): void {
  serverAheadMs = serverTimeMs - monotonicMs();
}

/** What the server's clock shows now, as far as the last answer tells. */
export function serverNowMs(): number {
  return monotonicMs() + serverAheadMs;
}
