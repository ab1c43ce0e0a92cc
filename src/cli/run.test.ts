import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it, test } from 'node:test';
import { languages } from '../ground/languages.ts';
import { version } from '../ground/version.ts';
import { noticeStatuses } from '../operator/notice.ts';
import { roles } from '../operator/role.ts';
import { newDirectory, newOperator, runInside } from './cli.testing.ts';
import { loadCommands } from './commands.ts';
import { parseInput, readCommandLine } from './parse.ts';

const commands = await loadCommands();

test('the words that an option can be are those that the program knows', () => {
  const wordsOf = (name: string, option: string) =>
    commands.find((each) => each.name === name)?.options?.find((each) => each.name === option)?.values;
  assert.deepEqual(wordsOf('notices list', 'status'), noticeStatuses);
  assert.deepEqual(wordsOf('admin token', 'role'), roles);
  for (const name of ['accounts create', 'accounts update']) assert.deepEqual(wordsOf(name, 'language'), languages);
});

describe('help', () => {
  it('of the program lists every command, the common options and the exit codes', async (t) => {
    const { process, mdapi } = newOperator(t);
    const [bare, asked, option] = await Promise.all([process(), mdapi('help'), mdapi('--help')]);
    assert.deepEqual([bare.exitCode, bare.stderr], [0, '']);
    assert.equal(asked.stdout, bare.stdout);
    assert.equal(option.stdout, bare.stdout);
    for (const { name, summary } of commands)
      assert.ok(bare.stdout.includes(`  ${name} `) && bare.stdout.includes(summary));
    for (const part of ['--config FILE', '--json', 'Exit codes', '  3  configuration refused'])
      assert.ok(bare.stdout.includes(part));
  });

  it('of every command shows its usage, its options and an example, in all three ways to ask', async (t) => {
    const cwd = newDirectory(t);
    for (const { name, options = [], positionals = [] } of commands) {
      const words = name.split(' ');
      const help = await runInside(['help', ...words], { cwd });
      assert.equal(help.exitCode, 0);
      assert.ok(help.stdout.includes(`Usage: mdapi ${name}`) && help.stdout.includes('\nExamples\n'), name);
      for (const option of options) assert.ok(help.stdout.includes(`--${option.name}`), option.name);
      for (const positional of positionals) assert.ok(help.stdout.includes(`  ${positional.name}`), positional.name);
      assert.deepEqual(await runInside([...words, '--help'], { cwd }), help);
      assert.deepEqual(await runInside([...words, '-h', 'whatever'], { cwd }), help);
      for (const line of help.stdout.split('\n')) assert.ok(line.length <= 120, line);
    }
  });

  it('of a group lists its commands', async (t) => {
    const help = await runInside(['help', 'keys'], { cwd: newDirectory(t) });
    assert.equal(help.exitCode, 0);
    for (const word of ['create', 'list', 'revoke', 'disable', 'enable', 'rotate'])
      assert.ok(help.stdout.includes(`keys ${word}`));
  });

  it('has only examples that the parser takes', () => {
    for (const command of commands) {
      for (const line of Object.keys(command.examples).filter((example) => example.startsWith('mdapi '))) {
        const words = [...line.matchAll(/"([^"]*)"|(\S+)/g)].map((match) => match[1] ?? match[2] ?? '').slice(1);
        const length = command.name.split(' ').length;
        assert.equal(words.slice(0, length).join(' '), command.name);
        assert.doesNotThrow(() => parseInput(command, readCommandLine(words, commands)), line);
      }
    }
  });

  it('names an option that takes a value in one command as taking one in all', () => {
    const takesValue = new Map<string, boolean>();
    for (const { name, value } of commands.flatMap(({ options = [] }) => options)) {
      assert.equal(takesValue.get(name) ?? value !== undefined, value !== undefined, name);
      takesValue.set(name, value !== undefined);
    }
  });

  it('and the version are one JSON object with --json', async (t) => {
    const cwd = newDirectory(t);
    assert.deepEqual(JSON.parse((await runInside(['--version', '--json'], { cwd })).stdout), {
      version,
    });
    const help = JSON.parse((await runInside(['help', 'keys', 'list', '--json'], { cwd })).stdout) as { help: string };
    assert.match(help.help, /^mdapi keys list: /);
  });
});

describe('wrong usage', () => {
  const cases: readonly (readonly [argv: readonly string[], message: string, hint: string])[] = [
    [['kyes', 'list'], 'There is no command "kyes". Did you mean "keys"?', 'mdapi help'],
    [['frobnicate'], 'There is no command "frobnicate".', 'mdapi help'],
    [['keys'], '"keys" needs one of: create, list, update, revoke, disable, enable, rotate.', 'mdapi help keys'],
    [['keys', 'crate'], 'There is no command "keys crate". Did you mean "keys create"?', 'mdapi help keys'],
    [['--config', 'x'], 'A command is missing.', 'mdapi help'],
    [['keys', 'list', '--acount', 'x'], 'Unknown option --acount. Did you mean "--account"?', 'mdapi help keys list'],
    [['keys', 'list', '-x'], 'Unknown option -x.', 'mdapi help keys list'],
    [['keys', 'list', '--account'], '--account needs a value: --account ACCOUNT.', 'mdapi help keys list'],
    [
      ['keys', 'list', '--account', '--yes'],
      '--account needs a value. If it is meant to be "--yes", write --account=--yes.',
      'mdapi help keys list',
    ],
    [
      ['history', 'quotes', 'BTCEUR', '--from', '-all'],
      '--from needs a value. If it is meant to be "-all", write --from=-all.',
      'mdapi help history quotes',
    ],
    [['keys', 'list', '--json=yes'], '--json takes no value.', 'mdapi help keys list'],
    [['keys', 'list', 'x'], 'Unexpected argument "x".', 'mdapi help keys list'],
    [['keys', 'list', '--', '--account'], 'Unexpected argument "--account".', 'mdapi help keys list'],
    [['keys', 'revoke'], 'ID is missing: the key’s id, key_….', 'mdapi help keys revoke'],
    [['keys', 'create'], '--account ID is missing: the account that holds the key, acc_….', 'mdapi help keys create'],
    [['--bogus', 'keys', 'list'], 'Unknown option --bogus.', 'mdapi help keys list'],
    [['--bogus', 'x', 'keys', 'list'], 'Unknown option --bogus.', 'mdapi help'],
    [['--confg', 'x.yaml', 'keys', 'list'], 'Unknown option --confg. Did you mean "--config"?', 'mdapi help'],
    [['--bogus=1'], 'Unknown option --bogus.', 'mdapi help'],
    [['--bogus', 'keys'], 'Unknown option --bogus.', 'mdapi help keys'],
    [['-x'], 'Unknown option -x.', 'mdapi help'],
    [['help', 'kyes'], 'There is no command "kyes". Did you mean "keys"?', 'mdapi help'],
  ];
  for (const [argv, message, hint] of cases) {
    it(`mdapi ${argv.join(' ')} ends with 2, says what is wrong and where the help is`, async (t) => {
      const outcome = await runInside(argv, { cwd: newDirectory(t) });
      assert.deepEqual(outcome, { exitCode: 2, stdout: '', stderr: `mdapi: ${message}\nSee: ${hint}\n` });
    });
  }

  it('is one JSON object on stdout with --json', async (t) => {
    const outcome = await newOperator(t).process('keys', 'crate', '--json');
    assert.equal(outcome.exitCode, 2);
    const { error } = JSON.parse(outcome.stdout) as { error: Record<string, unknown> };
    assert.deepEqual([error.reason, error.exitCode], ['wrong_usage', 2]);
  });

  it('is not caused by options before and between the words of a command', async (t) => {
    const cwd = newDirectory(t);
    await runInside(['accounts', 'create', '--email', 'a@b'], { cwd });
    for (const argv of [
      ['--json', 'keys', 'list'],
      ['keys', '--store', 'sqlite:mdapi.sqlite', 'list'],
    ]) {
      assert.equal((await runInside(argv, { cwd })).exitCode, 0, argv.join(' '));
    }
    assert.equal((await runInside(['keys', '--account', 'x', 'list'], { cwd })).exitCode, 4);
  });
});

describe('every command', () => {
  it('that needs the database says so when there is none, with 4, and creates none', async (t) => {
    const cwd = newDirectory(t);
    for (const argv of [
      ['accounts', 'list'],
      ['keys', 'list'],
      ['maintenance', 'list'],
      ['markets', 'list'],
    ]) {
      const outcome = await runInside(argv, { cwd });
      assert.equal(outcome.exitCode, 4);
      assert.match(outcome.stderr, /^mdapi: There is no database .*mdapi\.sqlite\. Start `mdapi serve`/);
    }
  });

  it('refuses a wrong configuration with 3, every problem, and no secret', async (t) => {
    const { mdapi, directory } = newOperator(t, { MDAPI_SERVER_PROT: '1' });
    writeFileSync(join(directory, 'mdapi.yaml'), 'pricing: { feePercent: 0.5 }\nstore: postgres://u:hunter2@h\n');
    const [plain, json] = await Promise.all([mdapi('accounts', 'list'), mdapi('accounts', 'list', '--json')]);
    assert.deepEqual([plain.exitCode, plain.stdout, json.exitCode], [3, '', 3]);
    const lines = plain.stderr.trimEnd().split('\n');
    assert.equal(lines.length, 4);
    assert.ok(lines.some((line) => line.startsWith('mdapi.yaml:1:24: pricing.feePercent: 0.5 is not a decimal')));
    const { error } = JSON.parse(json.stdout) as { error: { reason: string; problems: unknown[] } };
    assert.deepEqual([error.reason, error.problems.length], ['configuration_refused', 3]);
    for (const text of [plain.stderr, json.stdout, json.stderr]) assert.ok(!text.includes('hunter2'));
  });

  it('does not start on PostgreSQL before somebody decided about the record, and says what to write', async (t) => {
    const { mdapi, directory } = newOperator(t);
    writeFileSync(join(directory, 'mdapi.yaml'), 'store: postgres://mdapi@127.0.0.1:1/none\n');
    const { exitCode, stdout, stderr } = await mdapi('serve');
    assert.deepEqual([exitCode, stdout], [3, '']);
    assert.match(stderr, /history\.url: with PostgreSQL as store, name the place .*, or off .*MDAPI_HISTORY_URL/);
    const listed = await mdapi('accounts', 'list');
    assert.match(listed.stderr, /127\.0\.0\.1/, 'other commands work without it');
  });

  it('refuses an address with a password as an argument, which others could read', async (t) => {
    const cwd = newDirectory(t);
    const url = 'postgres://u:hunter2@h/x';
    const refused = [
      ['accounts', 'list', '--store', url],
      ['store', 'copy', '--from', 'sqlite:a.sqlite', '--to', url],
      ['store', 'copy', '--from', url, '--to', 'sqlite:a.sqlite'],
    ];
    for (const argv of refused) {
      const { exitCode, stderr } = await runInside(argv, { cwd });
      assert.equal(exitCode, 2);
      assert.match(stderr, /--(store|from|to) holds a password.*PGPASSFILE/);
      assert.ok(!stderr.includes('hunter2'));
    }
  });

  it('takes the database of --store over the one of --config', async (t) => {
    const cwd = newDirectory(t);
    writeFileSync(join(cwd, 'other.yaml'), 'store: sqlite:./configured.sqlite');
    const made = await runInside(['accounts', 'create', '--email', 'a@b', '--config', 'other.yaml'], { cwd });
    assert.match(made.stderr, /Created the database .*configured\.sqlite/);
    const named = ['--config', 'other.yaml', '--store', 'sqlite:named.sqlite'];
    const second = await runInside(['accounts', 'create', '--email', 'a@b', ...named], { cwd });
    assert.match(second.stderr, /Created the database .*named\.sqlite/);
    const wrong = await runInside(['accounts', 'list', '--store', 'mysql://u:hunter2@h'], { cwd });
    assert.equal(wrong.exitCode, 3);
    assert.ok(wrong.stderr.includes('--store: store: the value (not shown)') && !wrong.stderr.includes('hunter2'));
  });

  it('fails with 1 and one clear line when the database cannot be used', async (t) => {
    const { mdapi, directory } = newOperator(t);
    writeFileSync(
      join(directory, 'mdapi.sqlite'),
      'this is no database, but it is long enough to be looked at\n'.repeat(20),
    );
    const broken = await mdapi('accounts', 'list');
    assert.deepEqual([broken.exitCode, broken.stdout], [1, '']);
    assert.equal(broken.stderr.trimEnd().split('\n').length, 1, broken.stderr);
    const nowhere = await mdapi('accounts', 'create', '--email', 'a@b', '--store', 'sqlite:no/such/place.sqlite');
    assert.equal(nowhere.exitCode, 1);
    assert.match(nowhere.stderr, /the directory .*no\/such does not exist/);
  });

  it('is coloured only on a terminal, and not with NO_COLOR or a dumb one', async (t) => {
    const cwd = newDirectory(t);
    await runInside(['accounts', 'create', '--email', 'a@b'], { cwd });
    const list = async (isTerminal: boolean, env: Record<string, string> = {}) =>
      (await runInside(['accounts', 'list'], { cwd, isTerminal, env })).stdout;
    const plain = await list(false);
    const coloured = await list(true);
    assert.ok(!plain.includes('\u001b') && coloured.includes('\u001b[32mactive\u001b[39m'));
    // biome-ignore lint/suspicious/noControlCharactersInRegex: the colours are control characters
    assert.equal(coloured.replaceAll(/\u001b\[\d+m/g, ''), plain);
    for (const env of [{ NO_COLOR: '1' }, { TERM: 'dumb' }]) assert.equal(await list(true, env), plain);
    assert.notEqual(await list(true, { NO_COLOR: '' }), plain);
  });
});

test('help is shown after options too, and their values are not taken for a command', async (t) => {
  const cwd = newDirectory(t);
  const plain = await runInside(['help', 'keys'], { cwd });
  assert.match(plain.stdout, /^Usage: mdapi keys COMMAND/);
  for (const argv of [
    ['--config', 'mdapi.yaml', 'help', 'keys'],
    ['help', '--config', 'mdapi.yaml', 'keys'],
    ['help', 'keys', '--store', 'sqlite:x'],
  ]) {
    assert.deepEqual(await runInside(argv, { cwd }), plain, argv.join(' '));
  }
  assert.match((await runInside(['--config', 'mdapi.yaml', 'help'], { cwd })).stdout, /^mdapi: client prices/);
});
