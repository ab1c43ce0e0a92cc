import { test } from 'node:test';
import { WebhookReceiver } from '../../src/notices/webhook-receiver.testing.ts';
import { assertAccessible } from '../support/browser.ts';
import { ConsoleStage, consoleTest, eventually, forms, keepPicture } from './console-stage.ts';

const secret = `whsec_${Buffer.alloc(24, 7).toString('base64')}`;

test('an operator acknowledges an alert where its message leads, and reads its runbook', consoleTest, async (t) => {
  const receiver = await WebhookReceiver.start(t);
  const destinations = [
    { name: 'ops', url: receiver.url, allowHttp: true, secret },
    { name: 'duty', url: receiver.url, allowHttp: true, secret },
  ];
  const settings = {
    'alerts.destinations': JSON.stringify(destinations),
    'alerts.escalate.to': 'duty',
    'alerts.endAfter': '1h',
  };
  const stage = await ConsoleStage.start(t, { service: { settings } });
  await stage.harness.withStore(({ alerts }) => {
    const lost = { name: 'SourceLost', subject: 'kraken', event: 'source', severity: 'warning' } as const;
    const change = {
      ...lost,
      id: 'alr_test',
      summary: 'kraken: no connection for 25 s',
      raisedAt: stage.harness.clock.now(),
    };
    return alerts.take({ ...change, step: 'raised' }, []);
  });
  await stage.open('#/alerts');
  await stage.signIn();
  await stage.heading('Alerts').waitFor();
  const { page } = stage;
  await page.getByRole('row', { name: /SourceLost.*kraken.*no connection/ }).waitFor();
  await stage.sees('only what nobody acknowledges');
  for (const [size, scheme] of forms) {
    await page.setViewportSize(size);
    await page.emulateMedia({ colorScheme: scheme });
    await keepPicture(page, `alerts ${size.width} ${scheme}`);
    await assertAccessible(page);
  }
  await page.getByRole('button', { name: 'Acknowledge SourceLost: kraken' }).click();
  await stage.sees('SourceLost is acknowledged: it is not sent again.');
  await page.getByRole('row', { name: /SourceLost.*olga/ }).waitFor();
  await keepPicture(page, 'alerts acknowledged');
  await eventually('the audit log says who', () =>
    stage.harness.withStore(async ({ audit }) => {
      const { items } = await audit.page({ limit: 1, action: 'alert.' });
      return items[0]?.actor === 'olga';
    }),
  );
  await page.goto(`${stage.harness.service.adminUrl}/runbook#sourcelost`);
  await page.getByRole('heading', { name: 'SourceLost' }).waitFor();
  for (const [size, scheme] of forms) {
    await page.setViewportSize(size);
    await page.emulateMedia({ colorScheme: scheme });
    await keepPicture(page, `runbook ${size.width} ${scheme}`);
    await assertAccessible(page);
  }
});
