import { type Caller, runScript } from './redis-calls.ts';

/** A window that is newer than the clock by no more than this stays the current one; see `access/minute-window.ts`. */
export const windowsHeldBackMax = 5;

/**
 * Counts requests in one go, each unless its window is used up. Everything is decided by the server's clock, so
 * that nodes whose clocks disagree count in the same window. A clock that steps back, as when a replica takes over,
 * opens no spent window again: the newest window that the asking node or one of the counters knows of stays
 * the current one.
 *
 * A counter's value is its window and its count, so that it needs no clock to be right and is right whatever is left
 * from before. All counters of a call carry one hash tag: in cluster mode they lie in one slot.
 *
 * KEYS: the counters. ARGV: length of a window in ms; the newest window the node knows, 0 for none; the window its
 * counts are of; for each counter its limit, the count the node saw last, and how many the node admitted by itself
 * that are not counted here.
 * Answers the window, the server's clock in ms, and for each counter what was counted before this request.
 */
const script = `
local time = redis.call('TIME')
local nowMs = time[1] * 1000 + math.floor(time[2] / 1000)
local windowMs = tonumber(ARGV[1])
local clockWindow = math.floor(nowMs / windowMs)
local window = clockWindow
local function see(other)
  if other > window and other - clockWindow <= ${windowsHeldBackMax} then window = other end
end
see(tonumber(ARGV[2]))
local nodeWindow = tonumber(ARGV[3])
local windows, counts = {}, {}
local values = redis.call('MGET', unpack(KEYS))
for i, key in ipairs(KEYS) do
  local of, count = string.match(values[i] or '', '^(%d+):(%d+)$')
  if of then
    windows[key], counts[key] = tonumber(of), tonumber(count)
    see(windows[key])
  end
end
for key, of in pairs(windows) do
  if of ~= window then counts[key] = nil end
end
local answer, changed = { window, nowMs }, {}
for i, key in ipairs(KEYS) do
  local limit, seen, admitted = tonumber(ARGV[3 * i + 1]), tonumber(ARGV[3 * i + 2]), tonumber(ARGV[3 * i + 3])
  local used = counts[key] or 0
  if nodeWindow == window then used = math.max(used, seen) + admitted end
  answer[i + 2] = used
  if used < limit then used = used + 1 end
  if used ~= counts[key] then
    counts[key] = used
    changed[key] = used
  end
end
for key, count in pairs(changed) do
  redis.call('SET', key, string.format('%d:%d', window, count), 'PX', 2 * windowMs)
end
return answer
`;

/** One request to be counted. */
export interface CountedTake {
  /** Of the counter. */
  readonly counter: string;
  readonly limit: number;
  /** The count this node saw last in its window; 0 when none. */
  readonly seen: number;
  /** Admitted by this node alone in that window, and not counted on the server. */
  readonly admittedAlone: number;
}

/** Requests to be counted in one call. */
export interface CountedTakes {
  readonly windowMs: number;
  /** The newest window the server has named; 0 for none. */
  readonly newestWindow: number;
  /** The window that the counts of the takes are of. */
  readonly windowNumber: number;
  readonly takes: readonly CountedTake[];
}

/** What the server said. */
export interface CountAnswer {
  readonly windowNumber: number;
  /** The server's clock, epoch milliseconds. */
  readonly serverMs: number;
  /** Requests counted before, for each take in its order. */
  readonly used: readonly number[];
}

/** At most this many takes go into one call: a server answers others between calls. */
export const takesPerCallMax = 256;

/** Has the server count. Rejects with its error, and on an answer that is none. */
export async function countOn(
  call: Caller,
  { windowMs, newestWindow, windowNumber, takes }: CountedTakes,
): Promise<CountAnswer> {
  const counters = takes.map(({ counter }) => counter);
  const values = [String(windowMs), String(newestWindow), String(windowNumber)];
  for (const { limit, seen, admittedAlone } of takes) values.push(String(limit), String(seen), String(admittedAlone));
  return readAnswer(await runScript(call, script, counters, values), takes.length);
}

function readAnswer(answer: unknown, takes: number): CountAnswer {
  if (!Array.isArray(answer) || answer.length !== takes + 2 || !answer.every(Number.isSafeInteger)) {
    throw new Error('the counting script answered something else than counts');
  }
  const [windowNumber, serverMs, ...used] = answer as number[];
  return { windowNumber: windowNumber!, serverMs: serverMs!, used };
}
