import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { closeSync, constants, mkdtempSync, openSync, readFileSync, readSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, type TestContext, test } from 'node:test';
import { type ExchangeSimulator, startExchangeSimulator } from '../../exchange-simulator/simulator.ts';
import { eventually } from '../support/eventually.ts';
import { Installation } from '../support/mdapi-process.ts';
import { readMetrics } from '../support/metrics-text.ts';
import { Wire } from '../support/wire.ts';
import { sized } from './full-size.ts';
import { SmallDisk } from './small-disk.ts';

const lostMessage = 'lines of the log were lost, because it could not be written';

describe('the log', () => {
  let simulator: ExchangeSimulator;
  before(async () => {
    simulator = await startExchangeSimulator({ quotes: ['EUR'], updatesPerSecond: 50 });
  });
  after(() => simulator.stop());

  /** A service that logs each request, on what the shell redirects its standard error to. */
  const logging = (t: TestContext, to: string) => {
    const installation = Installation.for(t, simulator, { history: { url: 'off' }, logs: { access: 'all' } });
    installation.startedBy = ['sh', '-c', `exec "$0" "$@" 2>>${to}`];
    return installation;
  };
  const notesOf = async (adminUrl: string) =>
    ((await (await fetch(`${adminUrl}/readyz`)).json()) as { notes: string[] }).notes;
  const metricsOf = async (adminUrl: string) => readMetrics(await (await fetch(`${adminUrl}/metrics`)).text());
  const lostOf = async (adminUrl: string) => (await metricsOf(adminUrl)).value('mdapi_log_lines_lost_total') ?? 0;
  const isNamed = (adminUrl: string) => async () =>
    (await notesOf(adminUrl)).some((note) => note.startsWith('the log cannot be written'));

  test('on a full disk costs lines and no answer, is named, and says what was lost once there is room (fault row 102)', async (t) => {
    const installation = logging(t, 'logs/service.log');
    const disk = await SmallDisk.mount(t, installation.directory, 'logs', 256 * 1024);
    installation.startedBy = [...disk.startedBy, ...installation.startedBy];
    const { api, adminUrl, server } = await installation.serveLive();
    disk.fill();
    await eventually('it is named', async () => {
      await api.status();
      return isNamed(adminUrl)();
    });
    for (let count = 0; count < 100; count++) assert.equal((await api.status()).status, 'operational');
    assert.ok((await lostOf(adminUrl)) > 0);
    disk.free();
    await eventually('it is said', async () => readFileSync(disk.pathOf('service.log'), 'utf8').includes(lostMessage));
    await eventually('it is over', async () => !(await isNamed(adminUrl)()));
    server.kill('SIGTERM');
    assert.equal((await server.ended).code, 0);
  });

  test('that nobody reads, or whose reader is gone, costs lines and no answer, and no more memory than 4 MB (fault row 102)', async (t) => {
    const directory = mkdtempSync(join(tmpdir(), 'mdapi-log-'));
    t.after(() => rmSync(directory, { recursive: true, force: true }));
    const pipe = join(directory, 'pipe');
    execFileSync('mkfifo', [pipe]);
    const reader = openSync(pipe, constants.O_RDWR | constants.O_NONBLOCK);
    const { api, adminUrl, baseUrl, key, server } = await logging(t, pipe).serveLive();
    const { port } = new URL(baseUrl);
    const wire = await Wire.open(Number(port));
    const request = `GET /v1/status HTTP/1.1\r\nHost: a\r\nX-EXCHANGE-APIKEY: ${key}\r\n\r\n`;
    const batch = Array<string>(sized(200, 2_000)).fill(request);
    await eventually(
      'lines are lost',
      async () => {
        for (const { status } of await wire.askAll(batch)) assert.equal(status, 200);
        return (await lostOf(adminUrl)) > 0;
      },
      120_000,
    );
    wire.close();
    await eventually('it is named', isNamed(adminUrl));
    assert.equal((await api.status()).status, 'operational');
    const waiting = (await metricsOf(adminUrl)).value('mdapi_log_waiting_characters')!;
    assert.ok(waiting <= 4 * 1024 * 1024, `${waiting} characters wait`);

    const lines = Buffer.alloc(1024 * 1024);
    let text = '';
    const drain = () => {
      try {
        text += lines.toString('utf8', 0, readSync(reader, lines));
      } catch (error) {
        assert.equal((error as NodeJS.ErrnoException).code, 'EAGAIN');
      }
      return text.includes(lostMessage);
    };
    await eventually('it is said', async () => drain());
    closeSync(reader);
    const lost = await lostOf(adminUrl);
    await eventually('a closed pipe is counted', async () => {
      await api.status();
      return (await lostOf(adminUrl)) > lost;
    });
    assert.equal((await api.status()).status, 'operational');
    server.kill('SIGTERM');
    assert.equal((await server.ended).code, 0);
  });
});
