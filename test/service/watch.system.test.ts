import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { type ExchangeSimulator, startExchangeSimulator } from '../../exchange-simulator/simulator.ts';
import { runProcess } from '../../src/cli/cli.testing.ts';
import { eventually } from '../support/eventually.ts';
import { type Child, Installation, launcher } from '../support/mdapi-process.ts';
import { TcpProxy } from '../support/tcp-proxy.ts';

describe('mdapi watch', () => {
  const cleanups: (() => unknown)[] = [];
  const lasting = { after: (run: () => unknown) => cleanups.unshift(run) } as Parameters<typeof Installation.for>[0];
  let exchange: ExchangeSimulator;
  let installation: Installation;
  let proxy: TcpProxy;

  before(async () => {
    exchange = await startExchangeSimulator({ quotes: ['EUR'], updatesPerSecond: 50 });
    cleanups.unshift(() => exchange.stop());
    installation = Installation.for(lasting, exchange);
    const { adminUrl } = await installation.serveLive();
    proxy = await TcpProxy.listen({ targetPort: Number(new URL(adminUrl).port) });
    cleanups.unshift(() => proxy.close());
    installation.env.MDAPI_ADMIN_PORT = String(proxy.port);
    installation.env.LANG = 'C.UTF-8';
  });
  after(async () => {
    for (const run of cleanups) await run();
  });

  const watch = (...argv: readonly string[]) => installation.start('watch', '--interval', '100ms', ...argv);
  const linesOf = (child: Child) => child.stdout.split('\n').slice(0, -1);
  const cutOff = () => {
    proxy.refuse();
    proxy.reset();
  };

  test('prints the state of everything, then a line for each change, until it is stopped', async () => {
    const child = watch('btceur', 'BTCCZK');
    await eventually('the first lines', () => linesOf(child).length >= 3);
    const [service = '', czk = '', eur = ''] = linesOf(child);
    const instant = String.raw`\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}Z`;
    assert.match(service, new RegExp(`^${instant} service operational, data \\d\\.\\d s old, live$`));
    assert.match(
      czk,
      new RegExp(`^${instant} BTCCZK buy \\d+ sell \\d+ spread \\d\\.\\d\\d %( 24h -?\\d+\\.\\d\\d %)?$`),
    );
    assert.match(eur, new RegExp(`^${instant} BTCEUR buy \\d+\\.\\d sell \\d+\\.\\d spread \\d\\.\\d\\d %`));
    exchange.setPrice({ symbol: 'BTC/EUR', bid: '50000.0', ask: '50000.1' });
    await eventually('the new price', () => / BTCEUR buy 50250\.2 sell 49750\.0 spread 1\.00 % /.test(child.stdout));
    for (const line of linesOf(child)) assert.match(line, /^\S+ (service|BTCEUR|BTCCZK) /);
    child.kill('SIGINT');
    assert.deepEqual(await child.ended, { code: 0, signal: null });
    assert.equal(child.stderr, '');
  });

  test('with --json prints one object a line, the price as clients get it', async () => {
    const child = watch('ETHEUR', '--json');
    await eventually('the first lines', () => linesOf(child).length >= 2);
    const [service, market] = linesOf(child).map((line) => JSON.parse(line));
    assert.deepEqual([service.event, service.status, service.feedPath], ['service', 'operational', 'live']);
    assert.deepEqual([market.event, market.symbol, market.status], ['market', 'ETHEUR', 'trading']);
    assert.match(market.ticker.buyPrice, /^\d+\.\d+$/);
    assert.match(market.spreadPercent, /^\d+\.\d\d$/);
    child.kill('SIGTERM');
    assert.deepEqual(await child.ended, { code: 0, signal: null });
  });

  test('ends when nobody reads it any more', async () => {
    const command = '"$0" "$1" watch --interval 100ms | head -n 1';
    const { exitCode, stdout } = await runProcess(
      'sh',
      ['-c', command, process.execPath, launcher],
      installation.directory,
      installation.env,
    );
    assert.equal(exitCode, 0);
    assert.match(stdout, /^\S+ service operational/);
  });

  test('says in one line when no server answers, when a symbol is unknown, and when the interval cannot be', async () => {
    const outcome = async (...argv: readonly string[]) => {
      const { exitCode, stdout, stderr } = await installation.run('watch', ...argv);
      return [exitCode, stdout, stderr];
    };
    const unknown = 'mdapi: There is no market "btceru". Did you mean "BTCEUR"?\n';
    assert.deepEqual(await outcome('btceru', 'ADAEUR'), [4, '', unknown]);
    const [code, , usage] = await outcome('--interval', '1ms');
    assert.deepEqual(
      [code, usage],
      [2, 'mdapi: --interval: "1ms" is not a span from 100ms to 1h, such as 500ms or 2s.\nSee: mdapi help watch\n'],
    );
    cutOff();
    const [failed, out, message] = await outcome('--json');
    await proxy.clear();
    const url = `http://127.0.0.1:${proxy.port}`;
    const expected = `No answer from ${url} (connection refused). Start \`mdapi serve\`, or name its configuration with --config.`;
    assert.deepEqual([failed, message], [1, `mdapi: ${expected}\n`]);
    assert.deepEqual(JSON.parse(String(out)), {
      error: { reason: 'server_unreachable', message: expected, exitCode: 1 },
    });
  });

  test('says once that the server went away, goes on trying, and says when it is back', async () => {
    const child = watch('--json');
    await eventually('the first lines', () => linesOf(child).length >= 9);
    cutOff();
    await eventually('it is lost', () => /No answer from .*Trying again\.\n/.test(child.stderr));
    const asked = linesOf(child).length;
    await proxy.clear();
    await eventually('it is back', () => child.stderr.endsWith('answers again.\n'));
    await eventually('changes go on', () => linesOf(child).length > asked + 1);
    assert.equal(child.stderr.split('\n').length, 3);
    const events = linesOf(child).map((line) => JSON.parse(line).event);
    assert.deepEqual(
      events.filter((event) => event === 'lost' || event === 'found'),
      ['lost', 'found'],
    );
    child.kill('SIGINT');
    assert.equal((await child.ended).code, 0);
  });
});
