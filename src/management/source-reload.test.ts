import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { fromYaml } from '../configuration/configuration.testing.ts';
import type { Configuration } from '../configuration/configuration.ts';
import { ConfigurationError } from '../configuration/load.ts';
import { silentLog } from '../ground/log.ts';
import type { AuditChange } from '../store/store-context.ts';
import { Problem } from './problems.ts';
import { SourceReload } from './source-reload.ts';

/** A service that runs on one configuration, while its file says another. */
function running(yaml: string, isFromFile = true) {
  const audited: (AuditChange & { readonly actor: string })[] = [];
  const storeOf = (actor: string) => ({
    audit: { record: async (change: AuditChange) => void audited.push({ ...change, actor }) },
  });
  const taken: { readonly ids: readonly string[]; readonly renewed: readonly string[] }[] = [];
  const told: string[] = [];
  const file: { read: () => Configuration | Promise<Configuration>; taking: () => Promise<void> } = {
    read: () => fromYaml(yaml),
    taking: async () => {},
  };
  const reload = new SourceReload({
    configuration: fromYaml(yaml),
    reread: isFromFile ? async () => file.read() : undefined,
    feed: {
      async reconfigure({ sources }, renewed) {
        await file.taking();
        taken.push({ ids: sources.map(({ id }) => id), renewed: [...renewed] });
      },
    },
    store: storeOf('SIGHUP'),
    log: { ...silentLog, warn: (_, message) => void told.push(message) },
  });
  return {
    reload,
    audited,
    taken,
    told,
    file,
    write(text: string) {
      file.read = () => fromYaml(text);
    },
    by: (actor: string) => reload.run(storeOf(actor)),
  };
}

describe('a reload of the sources', () => {
  for (const [what, before, after, changes, renewed] of [
    ['an added one', '[kraken]', '[kraken, bitvavo]', ['added bitvavo', 'order kraken, bitvavo'], []],
    ['a removed one', '[kraken, bitvavo]', '[kraken]', ['removed bitvavo', 'order kraken'], []],
    ['another order', '[kraken, bitvavo]', '[bitvavo, kraken]', ['order bitvavo, kraken'], []],
    ['a pause', '[kraken, bitvavo]', '[{ id: kraken, paused: true }, bitvavo]', ['paused kraken'], []],
    ['its end', '[{ id: kraken, paused: true }, bitvavo]', '[kraken, bitvavo]', ['resumed kraken'], []],
    ['other assets', '[kraken]', '[{ id: kraken, not: [NEO] }]', ['changed kraken'], ['kraken']],
    [
      'both',
      '[kraken, bitvavo]',
      '[kraken, { id: bitvavo, paused: true, not: [NEO] }]',
      ['changed bitvavo', 'paused bitvavo'],
      ['bitvavo'],
    ],
  ] as const)
    it(`takes over ${what} and says so, to the audit log too, with who did it`, async () => {
      const { by, write, taken, audited } = running(`sources: ${before}`);
      write(`sources: ${after}`);
      const done = await by('olga');
      const ids = fromYaml(`sources: ${after}`).sources.map(({ id }) => id);
      assert.deepEqual([done.sources, done.changes], [ids, changes]);
      const codes = done.changeCodes.map(({ code, values }) => `${code} ${Object.values(values).flat().join(', ')}`);
      assert.deepEqual(codes, changes);
      assert.deepEqual(taken, [{ ids, renewed }]);
      assert.deepEqual(audited, [
        {
          actor: 'olga',
          action: 'sources.reload',
          subject: { kind: 'source', id: 'sources' },
          summary: `Reloaded the sources: ${changes.join('; ')}.`,
          details: done,
        },
      ]);
    });

  it('takes over the lists of markets', async () => {
    const { reload, write, taken, audited } = running('sources: [kraken, bitvavo]');
    write('sources: [kraken, bitvavo]\npricing: { sources: { BTCEUR: [bitvavo] } }');
    assert.deepEqual((await reload.run()).changes, ['pricing.sources']);
    assert.deepEqual([taken.length, audited[0]?.actor], [1, 'SIGHUP']);
  });

  it('of nothing new changes nothing and is not audited', async () => {
    const { reload, taken, audited, told } = running('sources: [kraken, bitvavo]');
    assert.deepEqual(await reload.run(), { sources: ['kraken', 'bitvavo'], changes: [], changeCodes: [] });
    assert.deepEqual([taken, audited, told], [[], [], []]);
  });

  it('that is refused changes nothing, names every error, and is in the log; the next compares with what runs', async () => {
    const { reload, write, file, taken, audited, told } = running('sources: [kraken]');
    file.read = () => {
      throw new ConfigurationError([
        { where: '/srv/mdapi.yaml:1:1', key: 'limits.key', what: 'changes only with a restart' },
        { where: '/srv/mdapi.yaml:2:1', key: undefined, what: 'is no YAML' },
      ]);
    };
    await assert.rejects(reload.run(), (error) => {
      assert.ok(error instanceof Problem);
      assert.equal(error.code, 'CONFLICT');
      assert.match(error.message, /nothing was changed.*limits\.key: changes only with a restart/);
      assert.deepEqual(error.errors, [
        { field: 'limits.key', message: 'changes only with a restart' },
        { field: '/srv/mdapi.yaml:2:1', message: 'is no YAML' },
      ]);
      return true;
    });
    assert.deepEqual([taken, audited, told.length], [[], [], 1]);
    write('sources: [kraken, bitvavo]');
    assert.deepEqual((await reload.run()).changes, ['added bitvavo', 'order kraken, bitvavo']);
  });

  it('is refused where the configuration was read from nowhere', async () => {
    const { reload, taken } = running('sources: [kraken]', false);
    await assert.rejects(reload.run(), /no configuration to read again/);
    assert.deepEqual(taken, []);
  });

  it('waits for the one before it, and compares with what that left', async () => {
    const { by, write, file, taken, audited } = running('sources: [kraken]');
    const first = Promise.withResolvers<void>();
    file.taking = () => first.promise;
    write('sources: [bitvavo, kraken]');
    const runs = [by('olga'), by('emil')];
    await new Promise(setImmediate);
    assert.deepEqual([taken.length, audited.length], [0, 1], 'the second has not begun');
    first.resolve();
    const [one, two] = await Promise.all(runs);
    assert.deepEqual([one!.changes, two!.changes], [['added bitvavo', 'order bitvavo, kraken'], []]);
    assert.deepEqual([taken.length, audited.map(({ actor }) => actor)], [1, ['olga']]);
  });
});
