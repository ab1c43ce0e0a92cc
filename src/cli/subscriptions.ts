import { isoInstant } from '../contract/instant.ts';
import type { EpochMs } from '../ground/clock.ts';
import { CommandError, exitCodes } from './failure.ts';
import { storeCommand, yes } from './store-command.ts';
import { harmless, listing } from './style.ts';

const list = storeCommand({
  name: 'subscriptions list',
  summary: 'list the subscribers of the status page',
  examples: {
    'mdapi subscriptions list --json': 'with how many have confirmed',
  },
  async work({ store, paint }) {
    const all = await store.subscriptions.list();
    const written = (at: EpochMs | undefined) => (at === undefined ? null : isoInstant(at));
    const subscriptions = all.map(({ kind, target, language, confirmedAt, failingSince, disabledAt }) => {
      const fails = { failingSince: written(failingSince), disabledAt: written(disabledAt) };
      return { kind, target, language, confirmedAt: written(confirmedAt), ...fails };
    });
    const confirmed = all.filter(({ confirmedAt }) => confirmedAt !== undefined).length;
    const notes = [`Confirmed: ${confirmed}, not confirmed yet: ${all.length - confirmed}.`];
    const columns = {
      KIND: 'kind',
      TARGET: 'target',
      LANGUAGE: 'language',
      CONFIRMED: 'confirmedAt',
      'FAILING SINCE': 'failingSince',
      DISABLED: 'disabledAt',
    } as const;
    const json = { subscriptions, confirmed, unconfirmed: all.length - confirmed };
    return { json, text: listing(subscriptions, columns, paint, 'No subscriptions.'), notes };
  },
});

const remove = storeCommand({
  name: 'subscriptions remove',
  summary: 'delete a subscription',
  positionals: { TARGET: { summary: 'the e-mail address or the URL of the webhook' } },
  options: {
    yes,
  },
  examples: {
    'mdapi subscriptions remove you@example.com': 'asks first at a terminal',
  },
  async work({ positionals: { TARGET: target }, store, confirm }) {
    await confirm(`Delete the subscription of ${harmless(target)}?`);
    if (!(await store.subscriptions.remove(target))) {
      throw new CommandError(exitCodes.notFound, 'subscription_unknown', 'There is no such subscription.');
    }
    return { json: { removed: target }, text: `Deleted the subscription of ${harmless(target)}.` };
  },
});

export const commands = [list, remove];
