import { sleep, systemClock } from '../../src/ground/clock.ts';
import { observationOf } from '../support/history.ts';
import type { Installation } from '../support/mdapi-process.ts';
import { type Answer, Asker } from './asker.ts';
import type { SoakRecord } from './record.ts';

/** What an operator does from the command line while the server runs. */
export interface OperatorSettings {
  readonly installation: Installation;
  readonly accountId: string;
  readonly baseUrl: string;
  readonly record: SoakRecord;
  readonly signal: AbortSignal;
}

/** A change made on the command line holds within a second; the rest is for a machine with other work. */
const changeBoundMs = 3_000;
const keyEveryMs = 20_000;
const windowEveryMs = 90_000;
const windowForMs = 8_000;

/** Makes keys and revokes them, and checks each time that the server follows. */
export async function churnKeys({ installation, accountId, baseUrl, record, signal }: OperatorSettings): Promise<void> {
  const asker = new Asker(baseUrl, true);
  const refused = async (key: string): Promise<boolean | undefined> => {
    const sentAtMs = Date.now();
    const answer = await asker.getAgain('/v1/status', { 'X-EXCHANGE-APIKEY': key }, lostBy(record));
    // Once ten have failed within the minute a refused key is answered 429.
    const isRefused = answer.status === 401 || answer.status === 429;
    // Refused keys are counted with those of the clients that have a wrong one.
    const asked = { client: 'operator', key: 'new key', path: '/v1/status', sentAtMs, answeredAtMs: answer.atMs };
    if (isRefused) record.history.observe(observationOf(asked, answer));
    return isOverloaded(answer) ? undefined : isRefused;
  };
  while (!signal.aborted) {
    const made = await installation.json<{ id: string; key: string }>('keys', 'create', '--account', accountId);
    record.keys.created++;
    const takenMs = await until(async () => {
      const isRefused = await refused(made.key);
      return isRefused === undefined ? undefined : !isRefused;
    });
    record.keys.takenMsMax = Math.max(record.keys.takenMsMax, takenMs);
    if (takenMs > changeBoundMs) record.fault(`a new key was taken only after ${Math.round(takenMs)} ms`);
    await sleep(systemClock, keyEveryMs / 2, signal);
    await installation.json('keys', 'revoke', made.id);
    record.keys.revoked++;
    const refusedMs = await until(() => refused(made.key));
    record.keys.refusedMsMax = Math.max(record.keys.refusedMsMax, refusedMs);
    if (refusedMs > changeBoundMs) record.fault(`a revoked key was taken for ${Math.round(refusedMs)} ms more`);
    await sleep(systemClock, keyEveryMs / 2, signal);
  }
  asker.close();
}

/** Announces maintenance windows, lets them run for some seconds and ends them. */
export async function announceMaintenance(settings: OperatorSettings & { readonly key: string }): Promise<void> {
  const { installation, baseUrl, record, signal, key } = settings;
  const asker = new Asker(baseUrl, true);
  const running = async () => {
    const answer = await asker.getAgain('/v1/time', { 'X-EXCHANGE-APIKEY': key }, lostBy(record));
    return isOverloaded(answer) ? undefined : answer.status === 503;
  };
  const span = ['--from', '+2s', '--to', '+10m', '--description', 'Soak'];
  await sleep(systemClock, 25_000, signal);
  while (!signal.aborted) {
    const { id } = await installation.json<{ id: string }>('maintenance', 'announce', ...span);
    await until(running);
    const band = record.begin('maintenance', 'announced window');
    await sleep(systemClock, windowForMs, signal);
    if ((await running()) === false) record.fault('a window ended by itself');
    await installation.json('maintenance', 'end', id);
    const endedMs = await until(async () => {
      const isRunning = await running();
      return isRunning === undefined ? undefined : !isRunning;
    });
    if (endedMs > changeBoundMs) record.fault(`a window ran on for ${Math.round(endedMs)} ms after its end`);
    band.toMs = Date.now();
    await sleep(systemClock, windowEveryMs - windowForMs, signal);
  }
  asker.close();
}

function lostBy(record: SoakRecord): (code: string) => void {
  return (code) => record.lostAnswer(`operator: ${code}`);
}

/** An answer under overload says nothing of keys and windows. */
function isOverloaded({ status, body }: Answer): boolean {
  return status === 503 && body.includes('"SERVICE_OVERLOADED"');
}

/**
 * How long the answers still said otherwise, in milliseconds; given up after half a minute. `undefined` says nothing.
 */
async function until(probe: () => Promise<boolean | undefined>): Promise<number> {
  const startedMs = performance.now();
  let otherwiseMs = 0;
  while (performance.now() - startedMs < 30_000) {
    const askedMs = performance.now() - startedMs;
    const isSo = await probe();
    if (isSo === true) break;
    if (isSo === false) otherwiseMs = askedMs;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  return otherwiseMs;
}
