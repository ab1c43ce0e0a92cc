import { accessSync, constants, existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import type { LoadedConfiguration } from '../configuration/load.ts';
import type { Flag } from '../configuration/sources.ts';
import { connectorKinds } from '../feed/connectors.ts';
import { issueKey } from '../operator/key.ts';
import { ratesOf, unusualRates, unusualText } from '../operator/unusual-rates.ts';
import { assertEmail } from '../store/accounts.ts';
import type { Store } from '../store/store.ts';
import { checkAll } from './check.ts';
import { type Command, type CommandInput, type Context, described } from './command.ts';
import { CommandError, exitCodes, failure, UsageError, writing } from './failure.ts';
import { keyText, shownOnce } from './keys.ts';
import { configurationFor, confirm, isAtTerminal, readerOf, refusePassword, withStore } from './store-command.ts';
import { paintFor } from './style.ts';

const exchanges = Object.keys(connectorKinds).filter((kind) => connectorKinds[kind]!.urls.rest !== '');
const czkSummary = 'margin in percent of prices converted from EUR to CZK, or none';

/** Asked at a terminal, and otherwise options: the field of each, and what it is for. */
const questions = [
  ['base-url', 'URL', 'server.baseUrl', 'where clients reach it'],
  ['quotes', 'EUR,USD', 'markets.quotes', 'quote currencies to offer'],
  ['sources', 'A,B', 'sources', `exchanges, the preferred first (${exchanges.join(', ')}), or \`sources\` as JSON`],
  ['fee', 'PERCENT', 'pricing.feePercent', 'fee of clients in percent'],
  ['czk', 'MARGIN', 'pricing.converted', czkSummary],
  ['email', 'ADDRESS', undefined, 'e-mail address of the holder of the first key'],
] as const;
const initial: Readonly<Record<string, string>> = {
  'base-url': 'http://127.0.0.1:8080',
  quotes: 'EUR',
  sources: 'kraken',
  fee: '0.5',
  czk: 'none',
};

export const init: Command = {
  ...described('init'),
  options: [
    ...questions.map(([name, value, , summary]) => ({ name, value, summary })),
    { name: 'offline', summary: 'check the configuration alone' },
    { name: 'yes', summary: 'take an unusual fee or margin' },
  ],
  async run(input, context) {
    const file = resolve(context.cwd, input.option('config') ?? 'mdapi.yaml');
    if (existsSync(file)) throw failure('file_exists', { file });
    writing(file, '--config', () => accessSync(dirname(file), constants.W_OK | constants.X_OK));
    const reader = isAtTerminal(context) ? readerOf(context) : undefined;
    const { firstYaml } = await import('../configuration/reference.ts');
    try {
      const { flags, email } = await answersTo(input, reader, context);
      const own = { ...input, option: (name: string) => (name === 'config' ? file : undefined) };
      const given = input.option('store');
      if (given !== undefined) refusePassword('store', given);
      const place = given?.replace(/^sqlite:(.+)/, (_, path) => `sqlite:${resolve(context.cwd, path)}`);
      const store = place ?? 'sqlite:./mdapi.sqlite';
      // With PostgreSQL the place of the record has to be named, and can be the same.
      const keys = store.startsWith('sqlite:') ? ['store'] : ['store', 'history.url'];
      const text = firstYaml([...flags, ...keys.map((key) => ({ flag: '--store', key, value: store }))]);
      const readFile = (path: string) => (path === file ? text : readFileSync(path, 'utf8'));
      const loaded = await configurationFor(own, context, [], readFile);
      const concerns = unusualRates(ratesOf(loaded.configuration.pricing)).map(unusualText);
      if (concerns.length > 0) await confirm(`${concerns.join(' ')} Write it?`, true, input, context, reader);
      const findings = input.isSet('offline') ? [] : await checked(loaded, context);
      writing(file, '--config', () => writeFileSync(file, text, { flag: 'wx' }));
      const create = async ({ accounts, keys }: Store) =>
        issueKey(keys, { accountId: (await accounts.create({ email })).id }, context);
      const made = await withStore(own, context, create, true).catch((error) => {
        rmSync(file);
        throw error;
      });
      const next = `mdapi serve${input.option('config') === undefined ? '' : ` --config ${input.option('config')}`}`;
      return {
        json: { ...made.key, key: made.text, configurationFile: file, findings, next },
        text: `${file}\n\n${keyText(made.text, made.key, paintFor(context))}`,
        notes: [shownOnce, `Next: ${next}`],
      };
    } finally {
      reader?.close();
    }
  },
};

/** The answers, each possible by itself. Throws `UsageError` for a wrong or, without a terminal, a missing one. */
async function answersTo(input: CommandInput, reader: ReturnType<typeof readerOf> | undefined, { stderr }: Context) {
  const missing = questions.filter(([name]) => name !== 'czk' && input.option(name) === undefined);
  if (reader === undefined && missing.length > 0) {
    const named = missing.map(([name, value, , summary]) => `--${name} ${value} (${summary})`);
    throw new UsageError(`Without a terminal nothing is asked. Missing: ${named.join(', ')}.`);
  }
  const { problemOf } = await import('../configuration/reference.ts');
  const flags: Flag[] = [];
  let email = '';
  for (const [name, , key, summary] of questions) {
    const preset = initial[name];
    const isAsked = input.option(name) === undefined && reader !== undefined;
    for (let isTaken = false; !isTaken; ) {
      const typed = isAsked ? await reader.ask(`${summary}${preset === undefined ? '' : ` [${preset}]`}: `) : '';
      if (typed === undefined) throw new CommandError(exitCodes.failure, 'not_answered', 'Nothing was written.');
      const answer = input.option(name) ?? (typed || (preset ?? ''));
      try {
        if (key === undefined) assertEmail(answer);
        const czk = answer === preset ? {} : { CZK: { via: 'EUR', marginPercent: answer } };
        const value = name === 'czk' ? JSON.stringify(czk) : answer;
        const problem = key === undefined ? undefined : problemOf({ flag: `--${name}`, key, value });
        if (problem !== undefined) throw new UsageError(`--${name}: ${problem}.`);
        if (key === undefined) email = answer;
        else flags.push({ flag: `--${name}`, key, value });
        isTaken = true;
      } catch (error) {
        if (!isAsked) throw error;
        stderr.write(`${(error as Error).message}\n`);
      }
    }
  }
  return { flags, email };
}

/** Throws `CommandError` with what does not work. */
async function checked(loaded: LoadedConfiguration, context: Context) {
  context.stderr.write('Checking what it names …\n');
  const { json, exitCode } = await checkAll(loaded, context);
  if (exitCode === exitCodes.ok) return json.findings;
  const failed = json.findings.filter(({ works }) => !works).map(({ name, detail }) => `${name}: ${detail}`);
  const remedy = 'Nothing was written. What cannot be reached from here yet --offline leaves unchecked.';
  throw new CommandError(exitCode, 'check_failed', `${failed.join('\n')}\n${remedy}`);
}
