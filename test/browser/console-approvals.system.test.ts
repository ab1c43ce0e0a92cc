import assert from 'node:assert/strict';
import { test } from 'node:test';
import { generateToken, tokenDigest } from '../../src/access/operator-token.ts';
import { systemRandomness } from '../../src/ground/clock.ts';
import { assertAccessible } from '../support/browser.ts';
import { ManagementClient } from '../support/management-client.ts';
import { ConsoleStage, consoleTest, eventually, forms } from './console-stage.ts';

const service = { settings: { 'admin.approvals': 'terms,delist' } };

async function clientOf({ harness }: ConsoleStage, name: string): Promise<ManagementClient> {
  const token = generateToken('operator', systemRandomness);
  const added = { role: 'operator', digest: tokenDigest(token), name } as const;
  await harness.withStore(({ tokens }) => tokens.insert(added));
  return ManagementClient.withToken(harness.service.adminUrl, token);
}

async function lookAt(stage: ConsoleStage, name: string): Promise<void> {
  const { page } = stage;
  for (const [viewport, colorScheme] of forms) {
    await page.setViewportSize(viewport);
    await page.emulateMedia({ colorScheme });
    const form = `${name}, ${colorScheme}, ${viewport.width} px`;
    await assertAccessible(page, form);
    const width = Number(await page.evaluate('document.documentElement.scrollWidth'));
    assert.ok(width <= viewport.width, `${form}: ${width} px wide`);
    await stage.keepPicture(`${name}-${colorScheme}-${viewport.width}`);
  }
}

test(
  'what waits for a second person is shown from and to, and confirmed, rejected or taken back by whom that is for',
  consoleTest,
  async (t) => {
    const stage = await ConsoleStage.signedIn(t, '#/approvals', { service });
    const { page, harness } = stage;
    await stage.sees('Nothing waits.');
    await stage.sees('These need a second person: terms, delistings. Pausing and holding never do.');
    const alice = await clientOf(stage, 'alice');
    const fromMs = harness.clock.now() + 86_400_000;
    const term = { scope: 'market', subject: 'BTCCZK', feePercent: '0.4', marginPercent: '0.8', fromMs };
    assert.equal((await alice.post('/api/terms', term)).status, 202);
    assert.equal((await alice.post('/api/markets/XRPEUR/delist', { confirm: 'XRPEUR' })).status, 202);

    await stage.goTo('#/terms', 'Terms');
    await stage.button('Set a term').click();
    await page.getByLabel('Fee in percent').fill('0.45');
    await stage.button('Now').click();
    await page.getByText('8 markets from').waitFor();
    await stage.button('Set').click();
    await stage.sees('It waits under Approvals until another person confirms it.');
    await stage.button('Set a term').waitFor();

    await stage.goTo('#/approvals', 'Approvals');
    await stage.sees('You may have proposed it yourself: another person confirms it.');
    assert.equal(await page.getByRole('button', { name: /^Confirm: / }).count(), 2);
    await page.getByRole('link', { name: 'Approvals 3' }).waitFor();
    await lookAt(stage, 'approvals');

    await stage.button('Confirm: Term for BTCCZK').click();
    await page.getByRole('dialog').getByRole('rowheader', { name: 'BTCCZK' }).waitFor();
    await lookAt(stage, 'approvals-effect');
    await stage.inDialog('Go back').click();
    await stage.button('Confirm: Delist XRPEUR for good').click();
    await page.getByRole('dialog').getByText('XRPCZK').first().waitFor();
    await stage.keepPicture('approvals-dialog');
    await stage.inDialog('Confirm').click();
    await stage.sees('The change is confirmed and made.');
    await eventually('it is delisted', async () => (await harness.api.markets()).get('XRPCZK')?.status === 'delisted');
    await stage.button('Take back: Term for the whole service').click();
    await stage.inDialog('Take back').click();
    await stage.sees('The change is taken back.');
    await stage.button('Reject: Term for BTCCZK').click();
    await stage.inDialog('Reject').click();
    await stage.sees('The change is rejected.');
    await stage.sees('Nothing waits.');
    for (const state of ['confirmed', 'withdrawn', 'rejected']) await page.getByRole('cell', { name: state }).waitFor();
    await lookAt(stage, 'approvals-before');
    const { items } = await harness.withStore(({ audit }) => audit.page({ limit: 20, action: 'approval.' }));
    const done = items.map(({ actor, action }) => `${actor} ${action.slice('approval.'.length)}`).toReversed();
    const proposed = ['alice propose', 'alice propose', 'olga propose'];
    assert.deepEqual(done, [...proposed, 'olga confirm', 'olga withdraw', 'olga reject']);
  },
);

test('the page of what waits is in Czech too', consoleTest, async (t) => {
  const stage = await ConsoleStage.signedIn(t, '#/approvals', { service });
  const alice = await clientOf(stage, 'alice');
  assert.equal((await alice.post('/api/terms', { scope: 'service', feePercent: '0.45' })).status, 202);
  assert.equal((await alice.post('/api/markets/XRPEUR/delist', { confirm: 'XRPEUR' })).status, 202);
  await stage.sees('Term for the whole service');
  await stage.page.getByRole('button', { name: 'Čeština' }).click();
  await stage.sees('Podmínka pro celou službu');
  await stage.sees('poplatek');
  await lookAt(stage, 'approvals-czech');
});
