import type { Context } from '../command.ts';
import { harmless } from '../style.ts';
import { follow } from './board-client.ts';
import { changeLines, changeObjects } from './lines.ts';
import type { Watching } from './run-table.ts';
import { type Watched, watchedNext } from './watched.ts';

/** Prints a line for every change, until the process is told to stop or nobody reads any more. */
export async function runLines(watching: Watching, json: boolean, context: Context): Promise<void> {
  const { stdout, stderr, clock } = context;
  const signal = AbortSignal.any([context.signal, ...(stdout.closed ? [stdout.closed] : [])]);
  const print = (watched: Watched) => {
    const lines = json ? changeObjects(watched).map((object) => JSON.stringify(object)) : changeLines(watched);
    if (lines.length > 0) stdout.write(`${lines.map(harmless).join('\n')}\n`);
  };
  const notice = (event: 'lost' | 'found', message: string) => {
    stderr.write(`mdapi: ${message}\n`);
    if (json) stdout.write(`${JSON.stringify({ event, message })}\n`);
  };
  let watched = watching.first;
  let isLost = false;
  print(watched);
  await follow(
    () => watching.look(signal),
    { clock, intervalMs: watching.intervalMs, signal },
    (look) => {
      if (look.kind === 'lost') {
        if (!isLost) notice('lost', `No answer from ${watching.url} (${look.why}). Trying again.`);
        isLost = true;
        return;
      }
      if (isLost) notice('found', `${watching.url} answers again.`);
      isLost = false;
      watched = watchedNext(watched, look.view, watching.symbols);
      print(watched);
    },
  );
}
