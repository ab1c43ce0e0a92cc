import { say, word } from '../language.ts';

/** The console's words for what the API names in code. A value it does not know is shown as it is. */

const unpriced: Readonly<Record<string, string>> = {
  no_ticker: say('No ticker from the exchange yet'),
  held: say('Held back for over five minutes'),
  no_rate: say('No valid conversion rate'),
  rounds_to_zero: say('The sell price rounds to zero'),
  delisted: say('Delisted: no price any more'),
};

/** Why a market has no price, in words. */
export function unpricedText(reason: string): string {
  return unpriced[reason] ?? word(reason);
}

/** What an operator can do about it. */
export function unpricedRemedy(reason: string): string | undefined {
  const remedies: Readonly<Record<string, string>> = {
    no_ticker: say(
      'The exchange lists the market but has sent no usable quote for it. It comes back by itself; look at the feed if it does not.',
    ),
    held: say('Look at what is held: accept it if it is right, or release your own hold.'),
    no_rate: say('The rate source has not been read for too long. Look at the rates on the feed page.'),
    rounds_to_zero: say('Give the market more decimals with a term.'),
  };
  return remedies[reason];
}

/** How a state looks: a colour never appears without its word. */
export type Tone = 'good' | 'warn' | 'bad' | 'plan' | 'quiet';

const tones: Readonly<Record<string, Tone>> = {
  operational: 'good',
  degraded: 'warn',
  outage: 'bad',
  maintenance: 'plan',
  live: 'good',
  fallback: 'warn',
  trading: 'good',
  paused: 'warn',
  delisted: 'quiet',
  active: 'good',
  inactive: 'warn',
  disabled: 'warn',
  revoked: 'quiet',
  expired: 'quiet',
  account_inactive: 'warn',
  investigating: 'bad',
  identified: 'warn',
  monitoring: 'plan',
  resolved: 'good',
  announced: 'plan',
  holding: 'good',
  past: 'quiet',
  running: 'plan',
  ended: 'quiet',
  cancelled: 'quiet',
  sent: 'good',
  pending: 'plan',
  sending: 'plan',
  failed: 'bad',
  unconfirmed: 'warn',
  recorded: 'quiet',
};

export function toneOf(state: string): Tone {
  return tones[state] ?? 'quiet';
}
