import { theWorld } from '../world.ts';

const { port, data } = theWorld().threads.get(new URL(import.meta.url).searchParams.get('thread') ?? '')!;

/** What a thread finds in the place of the platform's own. */
export const isMainThread = false;
export const parentPort = port;
export const workerData = data;

/** No thread starts another. */
export class Worker {
  constructor() {
    throw new Error('a thread that starts a thread is no part of the world');
  }
}
