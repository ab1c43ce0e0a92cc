import { type ApiKey, digestOf, generateApiKey, lastFourOf } from '../../access/api-key.ts';
import { generateOperatorToken, type OperatorToken, tokenDigest } from '../../access/operator-token.ts';
import { openStore, type Store } from '../../store/store.ts';
import type { Context } from '../context.ts';
import { actorOf } from '../with-store.ts';

/** What opens the demo, to clients and to operators. */
export interface DemoSecrets {
  readonly key: ApiKey;
  readonly operatorToken: OperatorToken;
}

const demoEmail = 'demo@example.com';
const demoName = 'demo';

/** Makes a key of the demo's account and an operator token, and revokes those of earlier starts. */
export async function makeDemoSecrets(
  url: string,
  context: Pick<Context, 'clock' | 'randomness' | 'user'>,
): Promise<DemoSecrets> {
  const store = await openStore({ url, ...context, actor: actorOf(context) });
  try {
    return { key: await makeKey(store, context), operatorToken: await makeToken(store, context) };
  } finally {
    await store.close();
  }
}

async function makeKey(store: Store, { randomness }: Pick<Context, 'randomness'>): Promise<ApiKey> {
  const accountId = await demoAccount(store);
  for (const { id, status } of await store.keys.list({ accountId })) {
    if (status !== 'revoked') await store.keys.setStatus(id, 'revoked');
  }
  const key = generateApiKey(randomness);
  await store.keys.insert({ accountId, digest: digestOf(key), lastFour: lastFourOf(key), label: demoName });
  return key;
}

async function makeToken({ tokens }: Store, { randomness }: Pick<Context, 'randomness'>): Promise<OperatorToken> {
  for (const { id, name, revokedAt } of await tokens.list()) {
    if (name === demoName && revokedAt === undefined) await tokens.revoke(id);
  }
  const token = generateOperatorToken(randomness);
  await tokens.insert({ digest: tokenDigest(token), name: demoName });
  return token;
}

async function demoAccount({ accounts }: Store): Promise<string> {
  const known = (await accounts.list()).find(({ email }) => email === demoEmail);
  return (known ?? (await accounts.create({ email: demoEmail }))).id;
}
