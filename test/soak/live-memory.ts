import { once } from 'node:events';
import { WebSocket } from 'ws';
import { sleep, systemClock } from '../../src/ground/clock.ts';
import { eventually } from '../support/eventually.ts';
import type { Child } from '../support/mdapi-process.ts';
import type { SoakRecord } from './record.ts';

/** To be in the environment of the process, so that it has an inspector, on any free port. */
export const inspectorOptions = '--inspect=0';

const everyMs = 10_000;
const megabyte = 1024 * 1024;

interface HeapUsage {
  readonly usedSize: number;
  /** What typed arrays and buffers hold outside the heap; absent before V8 tells it. */
  readonly backingStorageSize?: number;
}

/**
 * Has the process collect its garbage now and then, through its inspector, and notes what is left. Resident memory also
 * holds garbage that is not collected yet, tens of megabytes of it: a leak of one megabyte an hour shows in what is
 * left long before it shows there.
 */
export async function watchLiveMemory(server: Child, record: SoakRecord, signal: AbortSignal): Promise<void> {
  const url = await eventually('the inspector', () => /Debugger listening on (ws:\S+)/.exec(server.stderr)?.[1]);
  const socket = new WebSocket(url);
  await once(socket, 'open');
  while (!signal.aborted) {
    await ask(socket, 'HeapProfiler.collectGarbage');
    const { usedSize, backingStorageSize = 0 } = await ask<HeapUsage>(socket, 'Runtime.getHeapUsage');
    record.liveMemory.push({
      atMs: Date.now(),
      heapMb: usedSize / megabyte,
      buffersMb: backingStorageSize / megabyte,
    });
    await sleep(systemClock, everyMs, signal);
  }
  socket.terminate();
}

async function ask<Result>(socket: WebSocket, method: string): Promise<Result> {
  const answered = once(socket, 'message');
  socket.send(JSON.stringify({ id: 1, method }));
  const [text] = (await answered) as [Buffer];
  const { result, error } = JSON.parse(text.toString('utf8')) as { result: Result; error?: { message: string } };
  if (error !== undefined) throw new Error(`${method}: ${error.message}`);
  return result;
}
