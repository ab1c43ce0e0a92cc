import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { FakeClock } from '../../test/support/fake-clock.ts';
import { ModelNode, ModelServer } from './feed-lease.testing.ts';

const steps = fc.array(
  fc.oneof(
    { weight: 6, arbitrary: fc.record({ kind: fc.constant('pass' as const), ms: fc.integer({ min: 1, max: 4_000 }) }) },
    {
      weight: 3,
      arbitrary: fc.record({
        kind: fc.constantFrom('freeze' as const, 'wake' as const, 'kill' as const),
        node: fc.nat({ max: 3 }),
      }),
    },
    { weight: 1, arbitrary: fc.record({ kind: fc.constantFrom('cut' as const, 'restore' as const) }) },
  ),
  { maxLength: 40 },
);

const clocks = fc.record({
  skewMs: fc.integer({ min: -90_000, max: 90_000 }),
  speed: fc.integer({ min: 92, max: 108 }).map((percent) => percent / 100),
});

const plans = fc.record({
  steps,
  clocks: fc.array(clocks, { minLength: 4, maxLength: 4 }),
  delaysMs: fc.array(fc.oneof(fc.integer({ min: 0, max: 40 }), fc.integer({ min: 0, max: 4_000 })), { minLength: 1 }),
});

test('whatever freezes, dies or is delayed, two nodes never act at once, an old holder is refused, and in the end one acts', async () => {
  await fc.assert(
    fc.asyncProperty(plans, async ({ steps, clocks, delaysMs }) => {
      const clock = new FakeClock();
      const server = new ModelServer(clock);
      let asked = 0;
      let isCalm = false;
      const delay = () => (isCalm ? 10 : delaysMs[asked++ % delaysMs.length]!);
      // The last one only comes when all is calm, so that somebody is alive then.
      const nodes = clocks.slice(0, 3).map((own, index) => new ModelNode(clock, server, `${index}`, own, delay));
      const holdings = new Set<number>();
      let ordered = 0;
      const look = () => {
        const acting = nodes.map(({ acts }) => acts).filter((fence) => fence !== undefined);
        assert.ok(acting.length <= 1, `${acting.length} nodes act at once`);
        for (const fence of acting) {
          assert.ok(server.accepts(fence), 'whoever acts holds the newest number');
          assert.ok(fence >= ordered, 'the numbers of those who act only grow');
          ordered = fence;
          holdings.add(fence);
        }
        // A frozen process assumes what it did when it froze: what it would do on waking is refused if another took
        // over.
        for (const { lease, clock: own } of nodes) {
          const assumed = own.isFrozen ? lease.fence : undefined;
          if (assumed !== undefined && acting.some((fence) => fence !== assumed)) assert.ok(!server.accepts(assumed));
        }
      };
      const pass = async (ms: number) => {
        for (let left = ms; left > 0; left -= 100) {
          await clock.advance(Math.min(100, left));
          look();
        }
      };
      for (const step of steps) {
        if (step.kind === 'pass') await pass(step.ms);
        else if (!('node' in step)) server.isReachable = step.kind === 'restore';
        else {
          const node = nodes[step.node % nodes.length]!;
          if (step.kind === 'freeze') node.clock.isFrozen = true;
          else if (step.kind === 'wake') node.clock.wake();
          else node.isAlive = false;
        }
        look();
      }
      isCalm = true;
      server.isReachable = true;
      nodes.push(new ModelNode(clock, server, 'last', clocks[3]!, delay));
      for (const node of nodes) node.clock.wake();
      // Answers that were delayed before the calm come first.
      await pass(8_000);
      await pass(5_000);
      assert.equal(nodes.filter(({ acts }) => acts !== undefined).length, 1, 'one acts once all is calm');
      // A node that could not ask for a while and still holds its lease gains it again.
      const fences = nodes.flatMap((node) => [...new Set(node.fences)]);
      assert.equal(new Set(fences).size, fences.length, 'no number was given twice');
    }),
    { numRuns: 60, seed: 20_261_121 },
  );
});
