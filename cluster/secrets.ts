import { digestOf, generateApiKey, lastFourOf } from '../src/access/api-key.ts';
import { generateOperatorToken, tokenDigest } from '../src/access/operator-token.ts';
import { systemClock, systemRandomness } from '../src/clock.ts';
import { openStore } from '../src/store/store.ts';

/** A key, and what its counter in Redis is called by. */
export interface MadeKey {
  readonly id: string;
  readonly key: string;
  readonly lastFour: string;
  /** What it is for. */
  readonly label: string;
  readonly limitPerMinute: number;
}

export interface Secrets {
  /** For whoever plays. */
  readonly yours: MadeKey;
  /** By which the view looks at the public address. */
  readonly watching: MadeKey;
  /** Of the clients of the small load; the first asks for more than it may. */
  readonly load: readonly MadeKey[];
  readonly operatorToken: string;
}

const usualLimit = 60;
const loadKeys = 20;

/** Makes the schema, an account with its keys, and an operator token. */
export async function makeSecrets(storeUrl: string): Promise<Secrets> {
  const store = await openStore({ url: storeUrl, clock: systemClock, randomness: systemRandomness, actor: 'cluster' });
  try {
    const account = await store.accounts.create({ email: 'cluster@example.com' });
    const make = async (label: string, limitPerMinute?: number): Promise<MadeKey> => {
      const key = generateApiKey(systemRandomness);
      const lastFour = lastFourOf(key);
      const entry = { accountId: account.id, digest: digestOf(key), lastFour, label, limitPerMinute };
      const { id } = await store.keys.insert(entry);
      return { id, key, lastFour, label, limitPerMinute: limitPerMinute ?? usualLimit };
    };
    const yours = await make('yours');
    const watching = await make('this view', 1_000_000);
    const load: MadeKey[] = [];
    for (let made = 0; made < loadKeys; made++) load.push(await make(made === 0 ? 'greedy client' : 'client'));
    const operatorToken = generateOperatorToken(systemRandomness);
    await store.tokens.insert({ digest: tokenDigest(operatorToken), name: 'cluster' });
    return { yours, watching, load, operatorToken };
  } finally {
    await store.close();
  }
}
