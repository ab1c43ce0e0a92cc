import { DatabaseSync } from 'node:sqlite';
import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads';

/**
 * Whether SQLite finds its file whole: `undefined`, or the first thing it found. In a thread of its own, for reading a
 * large file takes seconds. Settles when that thread has ended and the file is left alone. Rejects when the file cannot
 * be opened, and with an `AbortError` once the signal aborts.
 */
export function quickCheck(path: string, signal?: AbortSignal): Promise<string | undefined> {
  const { promise, resolve, reject } = Promise.withResolvers<string | undefined>();
  const worker = new Worker(new URL(import.meta.url), { workerData: { path } });
  worker.once('message', resolve);
  worker.once('error', reject);
  signal?.addEventListener('abort', () => reject(signal.reason));
  return promise.finally(() => worker.terminate());
}

function firstFinding(path: string): string | undefined {
  const database = new DatabaseSync(path, { readOnly: true, timeout: 5_000 });
  try {
    const found = String(database.prepare('pragma quick_check(1)').get()?.quick_check);
    return found === 'ok' ? undefined : found.replaceAll('\n', ' ');
  } catch (error) {
    return error instanceof Error ? error.message : 'unreadable';
  } finally {
    database.close();
  }
}

if (!isMainThread) {
  const { path } = workerData as { path?: string };
  if (path !== undefined) parentPort?.postMessage(firstFinding(path));
}
