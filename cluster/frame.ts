import type { TerminalSize } from '../src/cli/command.ts';
import { type Cell, type Paint, table } from '../src/cli/style.ts';
import type { ClusterView, KeyCount, NodeState, NodeView } from './look.ts';
import { playKeys } from './plays.ts';

/** All that is to be seen at one moment. */
export interface Scene {
  readonly baseUrl: string;
  readonly key: string;
  readonly consoleUrl: string;
  readonly operatorToken: string;
  /** `undefined` before the first look. */
  readonly view: ClusterView | undefined;
  readonly load: { readonly isOn: boolean; readonly statuses: ReadonlyMap<number, number> };
  /** What happened, the newest last, each with its time. */
  readonly events: readonly string[];
}

const oldAfterMs = 5_000;
const keysShown = 4;

/** The lines of the screen, as many as it has at most. They can be wider than it: `Screen` does not wrap. */
export function frameOf(scene: Scene, { rows }: TerminalSize, paint: Paint): string[] {
  const { view } = scene;
  const above = [
    headline(scene, paint),
    `Try      curl -H 'X-EXCHANGE-APIKEY: ${scene.key}' '${scene.baseUrl}/v1/tickers'`,
    `Console  ${scene.consoleUrl}   operator token ${scene.operatorToken}`,
    '',
    ...(view === undefined
      ? ['Looking.']
      : [...nodeTable(view, paint), serversLine(view, paint), '', ...countLines(view, paint)]),
    '',
  ];
  const keys = Object.entries(playKeys).map(([key, does]) => `${key} ${does}`);
  const below = [paint.faint(keys.slice(0, 3).join('   ')), paint.faint([...keys.slice(3), 'q quit'].join('   '))];
  const room = Math.max(0, rows - above.length - below.length);
  const events = scene.events.slice(-room || scene.events.length).slice(0, room);
  const filler = Array.from({ length: room - events.length }, () => '');
  return [...above, ...events, ...filler, ...below].slice(0, rows);
}

function headline({ baseUrl, view, load }: Scene, paint: Paint): string {
  const status = view?.publicStatus ?? 'starting';
  const told = [...load.statuses].toSorted(([a], [b]) => a - b).map(([code, count]) => `${code || 'none'} ×${count}`);
  const answers = told.length === 0 ? '' : `   load ${load.isOn ? 'on' : 'off'}: ${told.join(', ')}`;
  return `${paint.heading(`Cluster on ${baseUrl}`)}   ${statusColour(status, paint)(status)}${answers}`;
}

function statusColour(status: string, paint: Paint): (text: string) => string {
  if (status === 'operational') return paint.good;
  return status === 'degraded' || status === 'starting' ? paint.attention : paint.bad;
}

function nodeTable(view: ClusterView, paint: Paint): string[] {
  const headings = ['PROCESS', 'ROLE', 'STATE', 'PID', 'LEADS', 'REQUESTS/S', 'DATA AGE', 'LIMITS IN', 'DATABASE'];
  return table(
    headings,
    view.nodes.map((node) => nodeCells(node, view, paint)),
    paint,
    '',
  ).split('\n');
}

function nodeCells(node: NodeView, { fence }: ClusterView, paint: Paint): Cell[] {
  const { name, role, state, pid, leads, requestsPerSecond, dataAgeMs, countsInRedis, storeReachable } = node;
  return [
    name,
    role,
    { text: state, paint: stateColour(state, paint) },
    pid === undefined ? '-' : String(pid),
    leads ? { text: `fence ${fence ?? '?'}`, paint: paint.good } : '-',
    role === 'feed' || requestsPerSecond === undefined ? '-' : requestsPerSecond.toFixed(1),
    dataAgeMs === undefined
      ? '-'
      : { text: `${(dataAgeMs / 1_000).toFixed(1)} s`, paint: dataAgeMs > oldAfterMs ? paint.bad : asIs },
    role === 'feed' ? '-' : yesOrNo(countsInRedis, 'Redis', 'itself', paint),
    yesOrNo(storeReachable, 'reachable', 'out of reach', paint),
  ];
}

function yesOrNo(value: boolean | undefined, yes: string, no: string, paint: Paint): Cell {
  if (value === undefined) return '-';
  return value ? { text: yes, paint: asIs } : { text: no, paint: paint.attention };
}

function stateColour(state: NodeState, paint: Paint): (text: string) => string {
  if (state === 'serving') return paint.good;
  return state === 'starting' || state === 'draining' ? paint.attention : paint.bad;
}

function serversLine({ redisIsUp, postgresIsUp, publicStatus }: ClusterView, paint: Paint): string {
  const said = (name: string, isUp: boolean) => `${name} ${isUp ? paint.good('up') : paint.bad('down')}`;
  const servers = [
    said('nginx', publicStatus !== 'no answer'),
    said('Redis', redisIsUp),
    said('PostgreSQL', postgresIsUp),
  ];
  return servers.join('   ');
}

/** Yours always, then those nearest to their limit. */
function countLines({ counts }: ClusterView, paint: Paint): string[] {
  if (counts === undefined) return [paint.attention('Redis does not tell how often keys were used in this minute.')];
  const [yours, ...others] = counts;
  const used = others.filter((count) => count.used > 0).toSorted((a, b) => b.used / b.limit - a.used / a.limit);
  const shown = [yours!, ...used.slice(0, keysShown)];
  const rows = shown.map((count) => [`…${count.lastFour}`, count.label, usedCell(count, paint)]);
  return table(['KEY', 'WHOSE', 'THIS MINUTE'], rows, paint, '').split('\n');
}

function usedCell({ used, limit }: KeyCount, paint: Paint): Cell {
  return { text: `${used} of ${limit}`, paint: used >= limit ? paint.bad : asIs };
}

function asIs(text: string): string {
  return text;
}
