/** Runs one command on the server that runs the script. */
export type Run = (...command: readonly string[]) => unknown;
type Script = (call: Run, keys: readonly string[], values: readonly string[]) => unknown;

const windowsHeldBackMax = 5;
const fenceAheadMsMax = 3_600_000;
const wholeMax = 2 ** 53;

/**
 * The scripts of the service in this language, each by words that only its own text has. What they answer is compared
 * with a real server.
 */
const scripts: readonly (readonly [words: string, script: Script])[] = [
  ['math.max((fence or 0) + 1, nowMs)', acquire],
  ['fence > mine', renew],
  ["redis.call('GET', KEYS[1]) ~= ARGV[1] then return 0", release],
  ["redis.call('XADD', KEYS[2]", publish],
  ['clockWindow', count],
];

const known = new Map<string, Script>();

export function scriptNamed(text: string): Script {
  return known.getOrInsertComputed(text, scriptWith);
}

function scriptWith(text: string): Script {
  const found = scripts.filter(([words]) => text.includes(words));
  if (found.length !== 1) throw new Error('the model does not know this script');
  return found[0]![1];
}

/** The value of a string; of another type it is deleted. */
function textOr(call: Run, key: string): string {
  try {
    return (call('GET', key) as string | null) ?? '';
  } catch {
    call('DEL', key);
    return '';
  }
}

function readLease(call: Run, keys: readonly string[]) {
  const own = /^\d+$/.exec(textOr(call, keys[1]!))?.[0];
  const fence = own !== undefined && own.length <= 16 && Number(own) < wholeMax - 1 ? Number(own) : undefined;
  const [, holder, number] = /^([\w-]+):(\d+)$/.exec(textOr(call, keys[0]!)) ?? [];
  const isOfFence = fence === undefined || Number(number) === fence;
  return { fence, holder: isOfFence ? holder : undefined, number: Number(number) };
}

function nowOf(call: Run): number {
  const [seconds, micros] = call('TIME') as [string, string];
  return Number(seconds) * 1_000 + Math.floor(Number(micros) / 1_000);
}

function acquire(call: Run, keys: readonly string[], [asker = '', forMs = '']: readonly string[]): unknown {
  const { fence, holder } = readLease(call, keys);
  if (holder !== undefined && holder !== asker) return null;
  const next = Math.max((fence ?? 0) + 1, nowOf(call));
  call('SET', keys[1]!, String(next));
  call('SET', keys[0]!, `${asker}:${next}`, 'PX', forMs);
  return next;
}

function renew(call: Run, keys: readonly string[], [asker = '', own = '', forMs = '']: readonly string[]): unknown {
  const { fence, holder, number } = readLease(call, keys);
  const mine = Number(own);
  if ((fence !== undefined && fence > mine) || (holder !== undefined && (holder !== asker || number !== mine)))
    return 0;
  call('SET', keys[1]!, own);
  call('SET', keys[0]!, `${asker}:${own}`, 'PX', forMs);
  return 1;
}

function release(call: Run, keys: readonly string[], values: readonly string[]): unknown {
  return call('GET', keys[0]!) === values[0] ? call('DEL', keys[0]!) : 0;
}

function publish(call: Run, keys: readonly string[], values: readonly string[]): unknown {
  const [fence = '', anew = '', state = '', whole = '', silent = '', , polled = ''] = values;
  const [fenceKey = '', changes = '', stateKey = '', offersKey = ''] = keys;
  let held: unknown;
  try {
    held = call('GET', fenceKey);
  } catch {
    return null;
  }
  if (held !== fence) return null;
  let last: [string, unknown][] = [];
  try {
    last = call('XREVRANGE', changes, '+', '-', 'COUNT', '1') as [string, unknown][];
  } catch {
    call('DEL', changes);
  }
  if (last.length === 0 && anew !== '1') return [];
  const fields = ['before', last[0]?.[0] ?? '0-0', 'anew', anew, 'state', state, 'silent', silent, 'polled', polled];
  const id = call('XADD', changes, 'MAXLEN', '~', '4000', '*', ...fields);
  if (whole !== '') call('SET', stateKey, `${id} ${whole}`);
  let offers: [string, string[]][] = [];
  try {
    offers = call('XREVRANGE', offersKey, '+', '-', 'COUNT', '16') as [string, string[]][];
  } catch {}
  call('DEL', offersKey);
  return [id, ...offers.map(([, [, state]]) => state)];
}

interface Counter {
  window: number;
  count: number | undefined;
  position: readonly [fence: number, number: number] | undefined;
}

function count(call: Run, keys: readonly string[], values: readonly string[]): unknown {
  const nowMs = nowOf(call);
  const given = (values[0]!.match(/\d+/g) ?? []).map(Number);
  const [windowMs = 1, newestWindow = 0, nodeWindow = 0, ownFence = 0, ownNumber = 0] = given;
  const clockWindow = Math.floor(nowMs / windowMs);
  let window = clockWindow;
  const see = (other: number) => {
    if (other > window && other - clockWindow <= windowsHeldBackMax) window = other;
  };
  see(newestWindow);
  const counters = new Map<string, Counter>();
  const stored = call('MGET', ...keys) as (string | null)[];
  for (const [index, key] of keys.entries()) {
    const counter: Counter = { window: Number.NaN, count: undefined, position: undefined };
    counters.set(key, counter);
    const found = /^(\d+):(\d+)(.*)$/.exec(stored[index] ?? '');
    if (found === null) continue;
    counter.window = Number(found[1]);
    counter.count = Number(found[2]);
    see(counter.window);
    const position = /^:(\d+):(\d+)$/.exec(found[3]!);
    const [fence, number] = [Number(position?.[1]), Number(position?.[2])];
    if (position !== null && fence <= nowMs + fenceAheadMsMax && number < wholeMax) counter.position = [fence, number];
  }
  for (const counter of counters.values()) if (counter.window !== window) counter.count = undefined;
  const answer = [window, nowMs];
  const changed = new Set<string>();
  for (const [index, key] of keys.entries()) {
    const counter = counters.get(key)!;
    const [limit = 0, seen = 0, admitted = 0] = values.slice(3 * index + index + 1, 4 * index + 4).map(Number);
    let used = counter.count ?? 0;
    if (nodeWindow === window) used = Math.max(used, seen) + admitted;
    const position = counter.position ?? ([0, 0] as const);
    answer.push(used, ...position);
    if (used < limit) used++;
    if (used !== counter.count) changed.add(key);
    counter.count = used;
    const isFurther = ownFence > position[0] || (ownFence === position[0] && ownNumber > position[1]);
    if (values[4 * index + 4] !== '1' || !isFurther) continue;
    counter.position = [ownFence, ownNumber];
    changed.add(key);
  }
  for (const key of changed) {
    const { count: used, position } = counters.get(key)!;
    const end = position === undefined ? '' : `:${position[0]}:${position[1]}`;
    call('SET', key, `${window}:${used}${end}`, 'PX', String(2 * windowMs));
  }
  return answer;
}
