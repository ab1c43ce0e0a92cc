import { isoInstant } from '../contract/instant.ts';
import { CommandError, exitCodes } from './failure.ts';
import { storeCommand } from './store-command.ts';
import { harmless, listing } from './style.ts';

const list = storeCommand('subscriptions list', async ({ store, paint }) => {
  const all = await store.subscriptions.list();
  const subscriptions = all.map(({ kind, target, language, confirmedAt }) => {
    return { kind, target, language, confirmedAt: confirmedAt === undefined ? null : isoInstant(confirmedAt) };
  });
  const confirmed = all.filter(({ confirmedAt }) => confirmedAt !== undefined).length;
  const notes = [`Confirmed: ${confirmed}, not confirmed yet: ${all.length - confirmed}.`];
  const shown = { KIND: 'kind', TARGET: 'target', LANGUAGE: 'language', CONFIRMED: 'confirmedAt' } as const;
  const json = { subscriptions, confirmed, unconfirmed: all.length - confirmed };
  return { json, text: listing(subscriptions, shown, paint, 'No subscriptions.'), notes };
});

const remove = storeCommand('subscriptions remove', async ({ input, store, confirm }) => {
  const target = input.argument('TARGET');
  await confirm(`Delete the subscription of ${harmless(target)}?`);
  if (!(await store.subscriptions.remove(target)))
    throw new CommandError(exitCodes.notFound, 'subscription_unknown', 'There is no such subscription.');
  return { json: { removed: target }, text: `Deleted the subscription of ${harmless(target)}.` };
});

export const subscriptionCommands = [list, remove];
