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
import { type Context, command, type OptionDeclarations, type Output } from './command.ts';
import { CommandError, exitCodes, UsageError, writing } from './failure.ts';
import { keyText, shownOnce } from './keys.ts';
import { configurationFor, confirm, isAtTerminal, readerOf, refusePassword, withStore } from './store-command.ts';
import { paintFor } from './style.ts';

const exchanges = Object.keys(connectorKinds).filter((kind) => connectorKinds[kind]!.urls.rest !== '');
/** Asked at a terminal, and otherwise options. */
const questions = {
  'base-url': { value: 'URL', summary: 'where clients reach it' },
  quotes: { value: 'EUR,USD', summary: 'quote currencies to offer' },
  sources: {
    value: 'A,B',
    summary: `exchanges, the preferred first (${exchanges.join(', ')}), or \`sources\` as JSON`,
  },
  fee: { value: 'PERCENT', summary: 'fee of clients in percent' },
  czk: { value: 'MARGIN', summary: 'margin in percent of prices converted from EUR to CZK, or none' },
  email: { value: 'ADDRESS', summary: 'e-mail address of the holder of the first key' },
} as const satisfies OptionDeclarations;

type Name = keyof typeof questions;
type Answers = Readonly<Record<Name, string>>;

const names = Object.keys(questions) as readonly Name[];

/** The settings that the answers are for; the e-mail address is for none. */
const settingOf: Readonly<Record<Exclude<Name, 'email'>, string>> = {
  'base-url': 'server.baseUrl',
  quotes: 'markets.quotes',
  sources: 'sources',
  fee: 'pricing.feePercent',
  czk: 'pricing.converted',
};

const noCzk = 'none';

/** The answers that are offered; of an address there is none. */
const presets: Answers = {
  'base-url': 'http://127.0.0.1:8080',
  quotes: 'EUR',
  sources: 'kraken',
  fee: '0.5',
  czk: noCzk,
  email: '',
};

type Reader = ReturnType<typeof readerOf>;

const init = command({
  name: 'init',
  summary: 'write the first configuration file, and create the first account and key',
  details: [
    'Asks at a terminal for what is not given; elsewhere only --czk can be left out. Writes nothing unless all works as in `check`, and never over a file.',
  ],
  options: {
    ...questions,
    offline: { summary: 'check the configuration alone' },
    yes: { summary: 'take an unusual fee or margin' },
  },
  examples: {
    'mdapi init': 'asks, and writes mdapi.yaml here',
    'mdapi init --base-url https://api.example.com --quotes EUR --sources kraken,bitvavo --fee 0.5 --email bot@example.com':
      'asks nothing',
  },
  async run({ options }, context) {
    const { configurationPath } = await import('../configuration/load.ts');
    const file = resolve(context.cwd, configurationPath(options.config, context.env));
    if (existsSync(file)) throw fileExists(file);
    writing(file, '--config', () => accessSync(dirname(file), constants.W_OK | constants.X_OK));
    const reader = isAtTerminal(context) ? readerOf(context) : undefined;
    try {
      const answers = await answersTo(options, reader, context);
      const text = await yamlOf(answers, options.store, context);
      const readFile = (path: string) => (path === file ? text : readFileSync(path, 'utf8'));
      const loaded = await configurationFor({ config: file, store: undefined }, context, [], readFile);
      const concerns = unusualRates(ratesOf(loaded.configuration.pricing)).map(unusualText);
      if (concerns.length > 0) {
        const isYes = options.yes;
        await confirm(`${concerns.join(' ')} Write it?`, { isYes, needsYes: true }, context, reader);
      }
      const findings = options.offline ? [] : await checked(loaded, context);
      writing(file, '--config', () => writeFileSync(file, text, { flag: 'wx', mode: 0o640 }));
      const made = await firstKey(file, answers.email, options.as, context);
      const next = `mdapi serve${options.config === undefined ? '' : ` --config ${options.config}`}`;
      return {
        json: { ...made.key, key: made.text, configurationFile: file, findings, next },
        text: `${file}\n\n${keyText(made.text, made.key, paintFor(context))}`,
        notes: [shownOnce, `Next: ${next}`],
      };
    } finally {
      reader?.close();
    }
  },
});

export const commands = [init];

function fileExists(file: string): CommandError {
  const message = `There is ${file} already, and it stays as it is. Name another with --config.`;
  return new CommandError(exitCodes.refused, 'file_exists', message);
}

/** The text of the file. Throws `UsageError` for a store with a password. */
async function yamlOf(answers: Answers, store: string | undefined, { cwd, env }: Context): Promise<string> {
  const { firstYaml } = await import('../configuration/reference.ts');
  if (store !== undefined) refusePassword('store', store);
  const place = store?.replace(/^sqlite:(.+)/, (_, path) => `sqlite:${resolve(cwd, path)}`);
  const url = place ?? 'sqlite:./mdapi.sqlite';
  // With PostgreSQL the place of the record has to be named, and can be the same.
  const keys = url.startsWith('sqlite:') ? ['store'] : ['store', 'history.url'];
  const settings = names.flatMap((name) => (name === 'email' ? [] : [settingFor(name, answers[name])]));
  const dataDir = env.MDAPI_DATA_DIR;
  // A folder that the environment names is written down: whoever runs without that environment means the same one.
  const folder =
    dataDir === undefined ? [] : [{ flag: 'MDAPI_DATA_DIR', key: 'dataDir', value: resolve(cwd, dataDir) }];
  return firstYaml([...settings, ...folder, ...keys.map((key) => ({ flag: '--store', key, value: url }))]);
}

function settingFor(name: Exclude<Name, 'email'>, answer: string): Flag {
  const converted = answer === noCzk ? {} : { CZK: { via: 'EUR', marginPercent: answer } };
  const value = name === 'czk' ? JSON.stringify(converted) : answer;
  return { flag: `--${name}`, key: settingOf[name], value };
}

/** Makes the database with the first account and key; without them there is no file either. */
function firstKey(file: string, email: string, as: string | undefined, context: Context) {
  const create = async ({ accounts, keys }: Store) =>
    issueKey(keys, { accountId: (await accounts.create({ email })).id }, context);
  return withStore({ config: file, store: undefined, as }, context, create, true).catch((error) => {
    rmSync(file);
    throw error;
  });
}

/** The answers, each possible by itself. Throws `UsageError` for a wrong or, without a terminal, a missing one. */
async function answersTo(
  given: Readonly<Record<Name, string | undefined>>,
  reader: Reader | undefined,
  { stderr }: Context,
): Promise<Answers> {
  const missing = names.filter((name) => name !== 'czk' && given[name] === undefined);
  if (reader === undefined && missing.length > 0) {
    const named = missing.map((name) => `--${name} ${questions[name].value} (${questions[name].summary})`);
    throw new UsageError(`Without a terminal nothing is asked. Missing: ${named.join(', ')}.`);
  }
  const answers: Record<Name, string> = { ...presets };
  for (const name of names) {
    const answer = given[name];
    if (answer === undefined && reader !== undefined) answers[name] = await asked(name, reader, stderr);
    else answers[name] = await taken(name, answer ?? presets[name]);
  }
  return answers;
}

/** Asks until the answer is possible. Throws `CommandError` at the end of input. */
async function asked(name: Name, reader: Reader, stderr: Output): Promise<string> {
  const preset = presets[name];
  for (;;) {
    const typed = await reader.ask(`${questions[name].summary}${preset === '' ? '' : ` [${preset}]`}: `);
    if (typed === undefined) throw new CommandError(exitCodes.failure, 'not_answered', 'Nothing was written.');
    try {
      return await taken(name, typed || preset);
    } catch (error) {
      stderr.write(`${(error as Error).message}\n`);
    }
  }
}

/** The answer, if it is possible. Throws `UsageError`, or `StoreError` for an impossible address. */
async function taken(name: Name, answer: string): Promise<string> {
  if (name === 'email') {
    assertEmail(answer);
    return answer;
  }
  const { problemOf } = await import('../configuration/reference.ts');
  // In a list a comma separates; in a percentage it is how half of Europe writes a decimal.
  const isPercent = name === 'fee' || name === 'czk';
  const read = isPercent ? answer.replace(/^(\d+),(\d+)$/, '$1.$2') : answer;
  const problem = problemOf(settingFor(name, read));
  if (problem !== undefined) throw new UsageError(`--${name}: ${problem}.`);
  return read;
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
