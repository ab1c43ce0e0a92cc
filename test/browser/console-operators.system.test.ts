import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { test } from 'node:test';
import { assertAccessible } from '../support/browser.ts';
import { clientId, clientSecret, OpenIdProvider } from '../support/openid-provider.ts';
import { ConsoleStage, consoleTest } from './console-stage.ts';

test(
  'people sign in through a provider of another site and come back to the page they wanted',
  consoleTest,
  async (t) => {
    let base = '';
    const provider = await OpenIdProvider.start(t, () => `${base}/console/sign-in/callback`, 'localhost');
    const settings = {
      'admin.oidc.issuer': provider.issuer,
      'admin.oidc.clientId': clientId,
      'admin.oidc.clientSecret': clientSecret,
      'admin.oidc.rolesClaim': 'email',
      'admin.oidc.roles': '{"olga@example.com":"support"}',
    };
    const stage = await ConsoleStage.start(t, { service: { settings } });
    base = stage.harness.service.adminUrl;
    stage.watched.expect(new RegExp(`^request to another origin: ${provider.issuer}/`));
    const enter = () => stage.button(`Sign in with ${new URL(provider.issuer).host}`).click();

    provider.visitor = { sub: 'u-1', claims: { email: 'nobody@example.com' } };
    await stage.open('#/tokens');
    await enter();
    await stage.sees('gives you no role here');
    await stage.heading('Operator console').waitFor();

    provider.visitor = { sub: 'u-17', claims: { email: 'olga@example.com' } };
    await enter();
    await stage.heading('Operator tokens').waitFor();
    await stage.sees('oidc:olga@example.com');
    await stage.button('Sign out').click();
    await stage.heading('Operator console').waitFor();
  },
);

test(
  'an admin makes a token, shown once, and revokes it; other roles see no button they may not use',
  consoleTest,
  async (t) => {
    const stage = await ConsoleStage.signedIn(t, '#/tokens');
    const { page } = stage;
    await stage.button('Create token').click();
    await page.getByLabel('Name').fill('zoe');
    await page.getByLabel('Role').selectOption('read-only');
    await stage.inDialog('Create token').click();
    const text = (await page.locator('dialog code').textContent()) ?? '';
    assert.match(text, /^mdo_\w{38}$/);
    await stage.inDialog('I have stored it').click();
    await page.getByRole('row', { name: /zoe.*read-only.*active/ }).waitFor();

    await stage.button('Sign out').click();
    await stage.signIn(text);
    await stage.sees('role: read-only');
    for (const [hash, heading] of [
      ['#/tokens', 'Operator tokens'],
      ['#/accounts', 'Accounts and keys'],
      ['#/maintenance', 'Maintenance'],
      ['#/incidents', 'Incidents'],
      ['#/markets/BTCEUR', 'BTCEUR'],
    ] as const) {
      await stage.goTo(hash, heading);
      const forbidden = page.getByRole('button', {
        name: /^(Create|Revoke|Announce|Open an|Pause B|Pause$|Delist|Deactivate)/,
      });
      assert.equal(await forbidden.count(), 0, hash);
    }

    await stage.button('Sign out').click();
    await stage.signIn();
    await stage.goTo('#/tokens', 'Operator tokens');
    await stage.button('Revoke zoe').click();
    await stage.inDialog('Revoke token').click();
    await page.getByRole('row', { name: /zoe.*revoked/ }).waitFor();
  },
);

test(
  'the audit log is filtered by who and what, folds what was made in bulk, and is saved as CSV',
  consoleTest,
  async (t) => {
    const stage = await ConsoleStage.start(t);
    const { page, harness } = stage;
    await harness.withStore(async ({ accounts }) => {
      for (const name of ['a', 'b', 'c', 'd', 'e']) await accounts.create({ email: `${name}@example.com` });
    });
    await stage.open('#/audit?action=account.');
    await stage.signIn();
    const log = page.getByRole('region', { name: 'Audit log' });
    const fold = log.getByRole('button', { name: /entries$/ });
    await fold.click();
    await log.getByText('Made the account of d@example.com.').waitFor();
    await assertAccessible(page, 'audit log');
    await stage.keepPicture('audit');
    const saved = page.waitForEvent('download');
    await stage.button('Save as CSV').click();
    const csv = await readFile(await (await saved).path(), 'utf8');
    assert.match(csv, /^at,actor,action,subjectKind,subject,summary,details\r\n/);
    assert.equal(csv.match(/account\.create,account,acc_/g)?.length, 6);
    await page.getByRole('searchbox', { name: 'Who' }).fill('olga');
    await stage.sees('No entries.');
    await page.getByLabel('What').selectOption('session.');
    await log.getByText(/^Signed in from/).waitFor();
    assert.match(page.url(), /actor=olga&action=session\./);
  },
);
