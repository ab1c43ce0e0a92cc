import assert from 'node:assert/strict';
import { countOn } from '../../src/cluster/count-script.ts';
import { type Caller, readFields, readStreamEntries, runScript, scriptText } from '../../src/cluster/redis-calls.ts';
import { redisLeases } from '../../src/cluster/redis-lease.ts';

/** What a server answers, as far as it is the same on each: ids of streams and instants are by its clock. */
export interface RedisUnderTest {
  readonly call: Caller;
  /** By its own clock. */
  nowMs(): Promise<number>;
  /** Lets its clock go on. */
  pass(ms: number): Promise<void>;
}

type Case = (redis: RedisUnderTest) => Promise<void>;

const takes = (over: object = {}) => ({ counter: '{t}:a', limit: 3, seen: 0, admittedAlone: 0, isKeys: true, ...over });

/**
 * The service's use of Redis, case by case. The model of the simulation passes it, and so does a real server: the model
 * does not lie.
 */
export const redisConformance: Readonly<Record<string, Case>> = {
  'values are set, read, deleted and of one type': async ({ call }) => {
    assert.equal(await call(['SET', '{t}:s', 'one']), 'OK');
    assert.equal(await call(['GET', '{t}:s']), 'one');
    assert.equal(await call(['GET', '{t}:none']), null);
    await call(['XADD', '{t}:x', '*', 'a', '1']);
    await assert.rejects(call(['GET', '{t}:x']), /^Error: WRONGTYPE|WRONGTYPE/);
    await assert.rejects(call(['XRANGE', '{t}:s', '-', '+']), /WRONGTYPE/);
    assert.deepEqual(await call(['MGET', '{t}:s', '{t}:x', '{t}:none']), ['one', null, null]);
    assert.equal(await call(['DEL', '{t}:s', '{t}:none']), 1);
    assert.equal(await call(['SET', '{t}:x', 'now a string']), 'OK');
    assert.equal(await call(['GET', '{t}:x']), 'now a string');
  },
  'a value with a time to live ends': async ({ call, pass }) => {
    await call(['SET', '{t}:short', 'x', 'PX', '200']);
    assert.equal(await call(['GET', '{t}:short']), 'x');
    await pass(400);
    assert.equal(await call(['GET', '{t}:short']), null);
  },
  'a hash keeps its fields': async ({ call }) => {
    assert.equal(await call(['HSET', '{t}:h', 'a', '1', 'b', '2']), 2);
    assert.equal(await call(['HSET', '{t}:h', 'b', '3', 'c', '4']), 1);
    assert.deepEqual({ ...readFields(await call(['HGETALL', '{t}:h'])) }, { a: '1', b: '3', c: '4' });
    assert.deepEqual(await call(['HGETALL', '{t}:none']), []);
  },
  'a stream gives what was added after an id, in order, and no more than asked for': async ({ call }) => {
    const ids: string[] = [];
    for (const value of ['1', '2', '3']) ids.push(String(await call(['XADD', '{t}:y', '*', 'n', value])));
    const read = async (after: string, count = '10') =>
      readStreamEntries(await call(['XREAD', 'COUNT', count, 'STREAMS', '{t}:y', after])).map(({ fields }) => fields.n);
    assert.deepEqual(await read('0-0'), ['1', '2', '3']);
    assert.deepEqual(await read('0-0', '2'), ['1', '2']);
    assert.deepEqual(await read(ids[1]!), ['3']);
    assert.equal(await call(['XREAD', 'STREAMS', '{t}:y', ids[2]!]), null);
    assert.equal(await call(['XREAD', 'STREAMS', '{t}:none', '0-0']), null);
    assert.deepEqual(await call(['XREVRANGE', '{t}:y', '+', '-', 'COUNT', '1']), [[ids[2], ['n', '3']]]);
    assert.deepEqual(await call(['XRANGE', '{t}:y', ids[1]!, ids[1]!]), [[ids[1], ['n', '2']]]);
    assert.deepEqual(await call(['XRANGE', '{t}:none', '-', '+']), []);
  },
  'a script is unknown by its digest until it was sent whole': async ({ call }) => {
    await call(['SCRIPT', 'FLUSH']);
    await assert.rejects(call(['EVALSHA', '0'.repeat(40), '0']), /NOSCRIPT/);
  },
  'a lease has one holder, whose number grows, and which alone renews and releases it': async ({
    call,
    nowMs,
    pass,
  }) => {
    await call(['FLUSHALL']);
    const leases = redisLeases(call);
    const before = await nowMs();
    const first = (await leases.acquire('one', 500))!;
    assert.ok(first >= before && first <= before + 5_000);
    assert.equal(await leases.acquire('two', 500), undefined);
    assert.equal(await leases.renew('one', first, 500), true);
    assert.equal(await leases.renew('two', first, 500), false);
    await leases.release('two', first);
    assert.equal(await leases.acquire('two', 500), undefined);
    await pass(800);
    const second = (await leases.acquire('two', 500))!;
    assert.ok(second > first);
    assert.equal(await leases.renew('one', first, 500), false);
    await leases.release('two', second);
    assert.ok((await leases.acquire('one', 500))! > second);
    await pass(20);
    await call(['SET', '{mdapi}:feed:fence', 'nonsense']);
    assert.ok((await leases.acquire('one', 500))! > second, 'what is no number is none');
    await call(['DEL', '{mdapi}:feed:lease']);
    await call(['XADD', '{mdapi}:feed:lease', '*', 'a', '1']);
    assert.ok((await leases.acquire('three', 500)) !== undefined, 'nor does another type block it');
  },
  'a publication is its leader’s alone, follows the one before it, and brings what was offered since, once': async ({
    call,
  }) => {
    await call(['FLUSHALL']);
    const keys = ['{t}:fence', '{t}:changes', '{t}:state', '{t}:offers'];
    const publish = (anew: '0' | '1', whole = '', fence = '7') =>
      runScript(call, scriptText('publish'), keys, [fence, anew, 'change', whole, '40', '100', '20000']) as Promise<
        string[] | null
      >;
    assert.equal(await publish('1'), null, 'nobody leads');
    await call(['SET', '{t}:fence', '7']);
    assert.equal(await publish('1', '', '6'), null);
    assert.deepEqual(await publish('0'), [], 'nothing to follow');
    const [first, ...none] = (await publish('1', 'all'))!;
    assert.deepEqual(none, []);
    assert.equal(await call(['GET', '{t}:state']), `${first} all`);
    for (const offered of ['one', 'two'])
      await call(['XADD', '{t}:offers', 'MAXLEN', '~', '16', '*', 'state', offered]);
    const [second, ...offers] = (await publish('0'))!;
    assert.deepEqual(offers, ['two', 'one']);
    await call(['SET', '{t}:offers', 'of another type']);
    assert.deepEqual((await publish('0'))!.slice(1), []);
    assert.equal(await call(['GET', '{t}:offers']), null);
    const changes = readStreamEntries(await call(['XREAD', 'COUNT', '9', 'STREAMS', '{t}:changes', first!]));
    assert.deepEqual(
      changes.map(({ fields: { before, anew, state, silent, polled } }) => [before, anew, state, silent, polled]),
      [
        [first, '0', 'change', '40', '20000'],
        [second, '0', 'change', '40', '20000'],
      ],
    );
    await call(['SET', '{t}:changes', 'of another type']);
    assert.deepEqual(await publish('0'), []);
  },
  'counts are by window, key and limit, with the newest position': async ({ call, nowMs }) => {
    const windowMs = 3_600_000;
    const windowNumber = Math.floor((await nowMs()) / windowMs);
    const count = (position: { fence: number; number: number }, ...all: ReturnType<typeof takes>[]) =>
      countOn(call, { windowMs, newestWindow: 0, windowNumber, position, takes: all });
    const none = { fence: 0, number: 0 };
    assert.deepEqual((await count(none, takes(), takes(), takes({ counter: '{t}:b' }))).used, [0, 1, 0]);
    const next = await count({ fence: 5, number: 7 }, takes(), takes());
    assert.deepEqual(next.used, [2, 3]);
    assert.deepEqual(next.served, [none, { fence: 5, number: 7 }]);
    assert.equal(next.windowNumber, windowNumber);
    const after = await count({ fence: 4, number: 9 }, takes(), takes({ counter: '{t}:b', seen: 1, admittedAlone: 1 }));
    assert.deepEqual([after.used, after.served[0]], [[3, 2], { fence: 5, number: 7 }]);
    const other = await countOn(call, {
      windowMs,
      newestWindow: windowNumber + 2,
      windowNumber,
      position: none,
      takes: [takes()],
    });
    assert.deepEqual([other.windowNumber, other.used], [windowNumber + 2, [0]], 'a newer window stays the current one');
  },
};
