import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type Command, type Context, command } from './command.ts';
import { commandHelp, usageOf } from './help.ts';
import { parseInput, readCommandLine } from './parse.ts';
import { storeCommand, yes } from './store-command.ts';

const texts = { name: 'try', summary: 'try it', examples: {} };
const words = ['en', 'cs'] as const;

/** The values that a handler got. Types are said here to have the compiler compare them with the declaration. */
interface Seen {
  readonly symbols: readonly string[];
  readonly account: string;
  readonly label: string | undefined;
  readonly language: 'en' | 'cs' | undefined;
  readonly tags: readonly ('a' | 'b')[];
  readonly all: boolean;
  readonly json: boolean;
  readonly config: string | undefined;
}

let seen: Seen | undefined;

const tried = command({
  ...texts,
  positionals: { ID: { summary: 'an id' }, SYMBOL: { many: true, summary: 'markets' } },
  options: {
    account: { value: 'ID', required: true, summary: 'whose' },
    label: { value: 'TEXT', summary: 'what for' },
    language: { value: 'LANGUAGE', values: words, summary: 'which' },
    tag: { value: 'TAG', values: ['a', 'b'], many: true, summary: 'any number of them' },
    all: { summary: 'every one' },
  },
  async run({ positionals, options }) {
    const { account, label, language, tag: tags, all, json, config } = options;
    seen = { symbols: [positionals.ID, ...positionals.SYMBOL], account, label, language, tags, all, json, config };
    return { json: {}, text: '' };
  },
});

async function seenBy(declared: Command, ...argv: readonly string[]): Promise<Seen | undefined> {
  seen = undefined;
  await declared.run(parseInput(declared, readCommandLine(['try', ...argv], [declared])), {} as Context);
  return seen;
}

describe('a command', () => {
  it('gets what was given, and of what was not given undefined, false or an empty list', async () => {
    assert.deepEqual(await seenBy(tried, 'x', '--account', 'acc'), {
      symbols: ['x'],
      account: 'acc',
      label: undefined,
      language: undefined,
      tags: [],
      all: false,
      json: false,
      config: undefined,
    });
    const given = ['--label', 'l', '--language', 'cs', '--json', '--config', 'f'];
    assert.deepEqual(await seenBy(tried, 'x', 'y', 'z', '--account', 'acc', ...given), {
      symbols: ['x', 'y', 'z'],
      account: 'acc',
      label: 'l',
      language: 'cs',
      tags: [],
      all: false,
      json: true,
      config: 'f',
    });
  });

  it('takes an option that may be repeated any number of times, each with one of its words, and says so', async () => {
    const repeated = await seenBy(tried, 'x', '--account', 'acc', '--tag', 'b', '--tag=a');
    assert.deepEqual(repeated?.tags, ['b', 'a']);
    await assert.rejects(seenBy(tried, 'x', '--account', 'acc', '--tag', 'a', '--tag', 'c'), /"c" is not one of a, b/);
    await assert.rejects(seenBy(tried, 'x', '--account', 'acc', '--account', 'b'), /--account is given twice/);
    assert.match(usageOf(tried), / \[--tag TAG …\] /);
    assert.match(commandHelp(tried), /--tag TAG +any number of them/);
  });
});

/** Never runs: it is the compiler that has to refuse each of these. */
export function refusedByTheCompiler(): Command[] {
  const run = async () => ({ json: {}, text: '' });
  return [
    command({
      ...texts,
      options: {
        account: { value: 'ID', summary: 'whose' },
        language: { value: 'L', values: words, summary: 'which' },
      },
      async run({ positionals, options }) {
        // @ts-expect-error: an option that is not declared
        options.acount;
        // @ts-expect-error: a positional that is not declared
        positionals.ID;
        // @ts-expect-error: what is not required can be missing
        const account: string = options.account;
        // @ts-expect-error: not one of its words
        const isGerman = options.language === 'de';
        return { json: { account, isGerman }, text: '' };
      },
    }),
    // @ts-expect-error: a misspelt member of an option
    command({ ...texts, options: { account: { value: 'ID', requird: true, summary: 'whose' } }, run }),
    // @ts-expect-error: an option without a value cannot be required
    command({ ...texts, options: { all: { required: true, summary: 'every one' } }, run }),
    // @ts-expect-error: a positional without a summary
    command({ ...texts, positionals: { ID: {} }, run }),
    storeCommand({
      ...texts,
      options: { yes },
      read: ({ options }) => options.yes,
      async work({ values, confirm }) {
        await confirm('?');
        // @ts-expect-error: the values are what `read` gives
        const text: string = values;
        return { json: {}, text };
      },
    }),
    storeCommand({
      ...texts,
      async work({ confirm }) {
        // @ts-expect-error: without an option `yes` nobody could answer beforehand
        await confirm('?');
        return { json: {}, text: '' };
      },
    }),
  ];
}
