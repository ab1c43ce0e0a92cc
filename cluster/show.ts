import type { Output, Terminal } from '../src/cli/command.ts';
import { paintFor } from '../src/cli/style.ts';
import { Screen } from '../src/cli/watch/screen.ts';
import { type Clock, sleep } from '../src/clock.ts';
import { isoInstant } from '../src/contract/instant.ts';
import { frameOf, type Scene } from './frame.ts';
import type { ClusterView } from './look.ts';

/** Shows what goes on until it is closed. */
export interface Show {
  /** Something happened. */
  tell(text: string): void;
  /** The cluster was looked at. */
  saw(view: ClusterView): void;
  close(): void;
}

const eventsMax = 200;
const redrawEveryMs = 1_000;

type Env = Readonly<Record<string, string | undefined>>;
type Still = Omit<Scene, 'view' | 'events'>;

/** The live view on a screen of its own. */
export function tableShow(still: Still, stdout: Output, terminal: Terminal, env: Env, clock: Clock): Show {
  const paint = paintFor({ stdout, env });
  const screen = new Screen(stdout, terminal);
  const events: string[] = [];
  let view: ClusterView | undefined;
  const draw = () => {
    const { columns, rows } = terminal.size();
    // A terminal that does not know its size says 0.
    screen.show(frameOf({ ...still, view, events }, { columns: columns || 80, rows: rows || 24 }, paint));
  };
  const stopResizing = terminal.onResize(() => {
    screen.invalidate();
    draw();
  });
  const redraw = clock.every(redrawEveryMs, draw);
  draw();
  return {
    tell(text) {
      events.push(`${isoInstant(clock.now()).slice(11, 19)}  ${text}`);
      if (events.length > eventsMax) events.shift();
      draw();
    },
    saw(seen) {
      view = seen;
      draw();
    },
    close() {
      redraw.cancel();
      stopResizing();
      screen.close();
    },
  };
}

/** A line for whatever happened or changed; with `json` an object each, and one for every look. */
export function linesShow(stdout: Output, json: boolean, clock: Clock): Show {
  const print = (text: string) => stdout.write(`${isoInstant(clock.now())} ${text}\n`);
  const object = (event: object) => stdout.write(`${JSON.stringify(event)}\n`);
  let states = new Map<string, string>();
  return {
    tell(text) {
      if (json) object({ event: 'told', at: isoInstant(clock.now()), text });
      else print(text);
    },
    saw(view) {
      if (json) object({ event: 'seen', at: isoInstant(clock.now()), ...view });
      const now = new Map([
        ['public address', view.publicStatus],
        ...view.nodes.map((node) => [node.name, node.state] as const),
      ]);
      if (!json) for (const [name, state] of now) if (states.get(name) !== state) print(`${name}: ${state}`);
      states = now;
    },
    close() {},
  };
}

/** Looks again and again, with a pause between, until it is told to stop. */
export async function follow(
  look: () => Promise<ClusterView>,
  seen: (view: ClusterView) => void,
  clock: Clock,
  ended: AbortSignal,
): Promise<void> {
  while (!ended.aborted) {
    const view = await look();
    if (ended.aborted) return;
    seen(view);
    await sleep(clock, lookEveryMs, ended);
  }
}

const lookEveryMs = 400;
