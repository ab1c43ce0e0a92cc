import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { type ExchangeSimulator, startExchangeSimulator } from '../../exchange-simulator/simulator.ts';
import { krakenAt } from '../../test/support/kraken-at.ts';
import { systemClock } from '../ground/clock.ts';
import { type Inside, newDirectory, runInside } from './cli.testing.ts';

const answers = { url: 'https://api.example.com', quotes: 'EUR', fee: '0.4', email: 'bot@example.com' };

describe('mdapi init', () => {
  let exchange: ExchangeSimulator;
  before(async () => {
    exchange = await startExchangeSimulator({ quotes: ['EUR'], updatesPerSecond: 0 });
  });
  after(() => exchange.stop());

  const sources = () => JSON.stringify([krakenAt(exchange.restUrl, exchange.wsUrl)]);
  const flags = (more: Readonly<Record<string, string>> = {}) =>
    Object.entries({
      'base-url': answers.url,
      quotes: answers.quotes,
      sources: sources(),
      fee: answers.fee,
      email: answers.email,
      ...more,
    }).map(([name, value]) => `--${name}=${value}`);
  /** The ports of the machine that runs this test are nobody's business. */
  const env = () => ({
    MDAPI_SERVER_PORT: '0',
    MDAPI_ADMIN_PORT: '0',
    MDAPI_RATES_URL: exchange.cnbUrl,
    MDAPI_RATES_COMPARE: JSON.stringify({ source: 'ecb', url: exchange.ecbUrl }),
  });
  const init = (cwd: string, argv: readonly string[], more: Partial<Inside> = {}) =>
    runInside(['init', ...argv], { cwd, env: env(), clock: systemClock, ...more });

  it('writes a file that says what was chosen and why, and whose key works, from flags alone', async (t) => {
    const cwd = newDirectory(t);
    const { exitCode, stdout, stderr } = await init(cwd, [...flags({ czk: '1.5' }), '--json']);
    assert.equal(exitCode, 0, stderr);
    const { id, key, findings, configurationFile, next } = JSON.parse(stdout);
    assert.deepEqual([/^key_/.test(id), /^mdk_/.test(key), next], [true, true, 'mdapi serve']);
    assert.ok(findings.some(({ name }: { name: string }) => name === 'kraken live'));
    const text = readFileSync(configurationFile, 'utf8');
    assert.match(text, /\n {2}# Fee added to the ask and taken off the bid\.\n {2}feePercent: "0\.4"\n/);
    assert.match(text, /\n {2}converted: \{ CZK: \{ via: EUR, marginPercent: "1\.5" \} \}\n/);
    assert.match(text, /\n# guard:\n# {3}jumpPercent: "10"\n/);
    const listed = JSON.parse((await runInside(['keys', 'list', '--json'], { cwd })).stdout);
    assert.equal(listed.keys[0].id, id);
    const check = JSON.parse((await runInside(['check', '--json'], { cwd, env: env(), clock: systemClock })).stdout);
    assert.equal(check.works, true);
  });

  it('keeps data in the folder that the environment names, writes that down, and a file that only its owner and group read (fault row 107)', async (t) => {
    const [cwd, etc, data] = [newDirectory(t), newDirectory(t), newDirectory(t)];
    const file = join(etc, 'mdapi.yaml');
    const packaged = { ...env(), MDAPI_CONFIG: file };
    const made = await init(cwd, [...flags({ fee: '0,4' }), '--offline'], {
      env: { ...packaged, MDAPI_DATA_DIR: data },
    });
    assert.equal(made.exitCode, 0, made.stderr);
    assert.deepEqual([readdirSync(cwd), readdirSync(etc)], [[], ['mdapi.yaml']]);
    assert.ok(readdirSync(data).includes('mdapi.sqlite'));
    assert.equal(statSync(file).mode & 0o777, 0o640);
    const text = readFileSync(file, 'utf8');
    assert.match(text, new RegExp(`^dataDir: ${data}$`, 'm'));
    assert.match(text, /feePercent: "0\.4"/);
    const listed = await runInside(['keys', 'list', '--json'], { cwd: newDirectory(t), env: packaged });
    assert.equal(JSON.parse(listed.stdout).keys.length, 1);
  });

  it('asks at a terminal for what is not given, and again after an answer that cannot be', async (t) => {
    const cwd = newDirectory(t);
    const typed = `api.example.com\n${answers.url}\n\n\nbad\n0.4\n1\nnobody\n${answers.email}\n`;
    const run = await init(cwd, ['--offline'], { isTerminal: true, typed });
    assert.equal(run.exitCode, 0, run.stderr);
    assert.match(run.stderr, /where clients reach it \[http:\/\/127\.0\.0\.1:8080\]: --base-url: /);
    assert.match(run.stderr, /quote currencies to offer \[EUR\]: .*\[kraken\]: fee of clients in percent \[0\.5\]: /);
    assert.match(run.stderr, /or none \[none\]: e-mail address of the holder of the first key: .+\ne-mail/);
    const text = readFileSync(join(cwd, 'mdapi.yaml'), 'utf8');
    assert.match(text, /\n {2}converted: \{ CZK: \{ via: EUR, marginPercent: "1" \} \}\n/);
    assert.match(text, /\nsources: \[ kraken \]\n/);
  });

  it('writes nothing when the input ends before the last answer', async (t) => {
    const cwd = newDirectory(t);
    const { exitCode, stderr } = await init(cwd, [], { isTerminal: true, typed: `${answers.url}\n` });
    assert.equal(exitCode, 1);
    assert.match(stderr, /Nothing was written\./);
    assert.deepEqual(readdirSync(cwd), []);
  });

  it('asks nothing without a terminal, and names every flag that is missing', async (t) => {
    const cwd = newDirectory(t);
    const { exitCode, stderr } = await init(cwd, ['--quotes=EUR', '--fee=0.4']);
    assert.equal(exitCode, 2);
    assert.match(stderr, /Missing: --base-url URL \(.*\), --sources A,B \(.*\), --email ADDRESS \(.*\)\./);
    assert.doesNotMatch(stderr, /--quotes EUR|--czk/);
    assert.deepEqual(readdirSync(cwd), []);
  });

  it('leaves a file that exists as it is', async (t) => {
    const cwd = newDirectory(t);
    writeFileSync(join(cwd, 'mdapi.yaml'), 'mine');
    const { exitCode, stderr } = await init(cwd, flags());
    assert.equal(exitCode, 5);
    assert.match(stderr, /mdapi\.yaml already, and it stays as it is/);
    assert.deepEqual([readdirSync(cwd), readFileSync(join(cwd, 'mdapi.yaml'), 'utf8')], [['mdapi.yaml'], 'mine']);
  });

  it('writes nothing, and says why, where something does not work', async (t) => {
    const cwd = newDirectory(t);
    const gone = { sources: JSON.stringify([krakenAt('http://127.0.0.1:1', 'ws://127.0.0.1:1')]) };
    const { exitCode, stderr } = await init(cwd, flags(gone));
    assert.equal(exitCode, 1);
    assert.match(stderr, /kraken REST: http:\/\/127\.0\.0\.1:1.*Check urls\.rest of kraken/);
    assert.match(stderr, /Nothing was written\. .*--offline/);
    assert.deepEqual(readdirSync(cwd), []);
    assert.equal((await init(cwd, [...flags(gone), '--offline'])).exitCode, 0);
  });

  it('refuses impossible values before it writes, each by its flag', async (t) => {
    const cwd = newDirectory(t);
    const refused = [
      [{ fee: '7,,5' }, 2, /--fee: .*is not a decimal/],
      [{ email: 'nobody' }, 2, /e-mail/],
      [{ quotes: 'USD', czk: '1' }, 3, /pricing\.converted/],
      [{ store: 'postgres://mdapi:secret@db.example.com/mdapi' }, 2, /--store holds a password/],
    ] as const;
    for (const [more, code, why] of refused) {
      const { exitCode, stderr } = await init(cwd, flags(more));
      assert.equal(exitCode, code, stderr);
      assert.match(stderr, why);
    }
    assert.deepEqual(readdirSync(cwd), []);
  });

  it('takes its file back when the first key cannot be made', async (t) => {
    const cwd = newDirectory(t);
    assert.equal((await runInside(['accounts', 'create', '--email', answers.email], { cwd })).exitCode, 0);
    const { exitCode, stderr } = await init(cwd, flags());
    assert.equal(exitCode, 5, stderr);
    assert.ok(!existsSync(join(cwd, 'mdapi.yaml')));
  });

  it('asks about a fee of 5 % and more, and without a terminal wants --yes', async (t) => {
    const cwd = newDirectory(t);
    const large = flags({ fee: '5' });
    const { exitCode, stderr } = await init(cwd, large);
    assert.equal(exitCode, 1);
    assert.match(stderr, /A fee of 5 % is unusual.* Without a terminal this needs --yes/);
    assert.equal((await init(cwd, large, { isTerminal: true, typed: '\n\n' })).exitCode, 1);
    assert.deepEqual(readdirSync(cwd), []);
    assert.equal((await init(cwd, [...large, '--yes'])).exitCode, 0);
    const warned = JSON.parse((await runInside(['check', '--json'], { cwd, env: env(), clock: systemClock })).stdout);
    const [warning] = warned.findings.filter(({ name }: { name: string }) => name === 'pricing');
    assert.deepEqual(
      [warned.works, warning.isWarning, /clients pay 5 % more/.test(warning.detail)],
      [true, true, true],
    );
  });

  it('keeps what is given with --store and --config, wherever that lies', async (t) => {
    const cwd = newDirectory(t);
    const place = ['--config=sub.yaml', '--store=sqlite:./other.sqlite', '--offline'];
    const { exitCode, stderr } = await init(cwd, [...flags(), ...place]);
    assert.equal(exitCode, 0, stderr);
    assert.match(stderr, /Next: mdapi serve --config sub\.yaml/);
    assert.deepEqual(readdirSync(cwd).toSorted(), ['other.sqlite', 'sub.yaml']);
    assert.match(
      readFileSync(join(cwd, 'sub.yaml'), 'utf8'),
      new RegExp(`\nstore: sqlite:${join(cwd, 'other.sqlite')}\n`),
    );
  });
});
