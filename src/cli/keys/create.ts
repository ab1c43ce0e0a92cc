import { digestOf, generateApiKey, lastFourOf } from '../../access/api-key.ts';
import type { Command, CommandInput } from '../command.ts';
import { UsageError } from '../failure.ts';
import { instantForms, parseInstant } from '../instant.ts';
import { paintFor, pairs } from '../style.ts';
import { withStore } from '../with-store.ts';
import { keyJson, keyLines, keyState, shownOnce } from './describe.ts';

export const keysCreate: Command = {
  name: 'keys create',
  summary: 'make an API key for an account',
  details: [
    'The key is printed this once: only its SHA-256 is stored. Running servers take it within a second.',
    'Clients send it in the header X-EXCHANGE-APIKEY.',
  ],
  options: [
    { name: 'account', value: 'ID', required: true, summary: 'the account that holds the key, acc_…' },
    { name: 'label', value: 'TEXT', summary: 'what the key is for, up to 100 characters' },
    { name: 'expires', value: 'INSTANT', summary: `when it stops working: ${instantForms} (default: never)` },
    {
      name: 'limit',
      value: 'REQUESTS',
      summary: 'requests a minute, 1 to 1000000 (default: limits.key of the configuration)',
    },
  ],
  examples: [
    {
      line: 'mdapi keys create --account acc_4fGh72Kq0ZsTn1Lw --label "trading bot"',
      note: 'a key that never expires',
    },
    { line: 'mdapi keys create --account acc_4fGh72Kq0ZsTn1Lw --expires +90d', note: 'one for ninety days' },
    { line: 'mdapi keys create --account acc_4fGh72Kq0ZsTn1Lw --json', note: 'for a program: the key’s text is `key`' },
  ],
  async run(input, context) {
    const now = context.clock.now();
    const expires = input.option('expires');
    const expiresAt = expires === undefined ? undefined : parseInstant(expires, now, '--expires');
    const limitPerMinute = limitFrom(input);
    return withStore(input, context, async (store) => {
      const key = generateApiKey(context.randomness);
      const record = await store.keys.insert({
        accountId: input.required('account'),
        digest: digestOf(key),
        lastFour: lastFourOf(key),
        label: input.option('label'),
        expiresAt,
        limitPerMinute,
      });
      const account = await store.accounts.get(record.accountId);
      const active = account?.active !== false;
      const paint = paintFor(context);
      const lines = keyLines(record, keyState(record, active, now), paint);
      const inactive = `The account ${record.accountId} is inactive: activate it before the key can be used.`;
      return {
        json: { ...keyJson(record), key },
        text: pairs([['Key', key], ...lines], paint),
        notes: active ? [shownOnce] : [shownOnce, inactive],
      };
    });
  },
};

function limitFrom(input: CommandInput): number | undefined {
  const text = input.option('limit');
  if (text === undefined) return undefined;
  if (/^[1-9]\d{0,6}$/.test(text) && Number(text) <= 1_000_000) return Number(text);
  throw new UsageError(`--limit: "${text}" is not a whole number from 1 to 1000000.`);
}
