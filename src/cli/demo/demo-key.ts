import { type ApiKey, digestOf, generateApiKey, lastFourOf } from '../../access/api-key.ts';
import { openStore, type Store } from '../../store/store.ts';
import type { Context } from '../context.ts';

const demoEmail = 'demo@example.com';

/** Makes a key of the demo's account and revokes those of earlier starts. */
export async function makeDemoKey(
  url: string,
  { clock, randomness }: Pick<Context, 'clock' | 'randomness'>,
): Promise<ApiKey> {
  const store = await openStore({ url, clock, randomness });
  try {
    const accountId = await demoAccount(store);
    for (const { id, status } of await store.keys.list({ accountId })) {
      if (status !== 'revoked') await store.keys.setStatus(id, 'revoked');
    }
    const key = generateApiKey(randomness);
    await store.keys.insert({
      accountId,
      digest: digestOf(key),
      lastFour: lastFourOf(key),
      label: 'demo',
      expiresAt: undefined,
      limitPerMinute: undefined,
    });
    return key;
  } finally {
    await store.close();
  }
}

async function demoAccount({ accounts }: Store): Promise<string> {
  const known = (await accounts.list()).find(({ email }) => email === demoEmail);
  return (known ?? (await accounts.create({ email: demoEmail }))).id;
}
