/**
 * What must hold whatever happens, each with the sentence of the contract, or of the operators' documents, that it
 * holds to.
 */
export const rules = {
  'honest price': 'They equal the prices in the operator’s client application at the time of the request.',
  'fresh price':
    'Another source takes over within 5 seconds of its silence: the price is that of one that is live, and its own age.',
  statistics: 'The first that is fresh, trading and not doubted gives price and statistics together.',
  'never back': 'timestamp: when the ticker was captured; lastUpdatedAt: when the feed was last updated.',
  'true status':
    '`components.ticker` is `outage` once the feed is more than 5 minutes behind, and `degraded` while data is served over a fallback path.',
  'age of the prices':
    '`lastUpdatedAt`, `degraded` and `outage` follow the sources that make the prices which are served.',
  'never forgotten': '`lastUpdatedAt`: null as long as there never was a price.',
  'exact limits': 'API key: 60 requests per minute, per valid key, shared by all endpoints.',
  'retry after': 'On 429 and 503: after so many seconds, never earlier, the same request is admitted.',
  'bans kept': 'An exchange that bans us until an instant, in whatever words, is asked at most twice until then.',
  'lists in doubt':
    'A growth of more than half and at least 50 markets at once waits for the operator; what was dead from the start is not offered.',
  'never shed':
    'Requests are shed for load of our own alone: a busy thread, a full heap, or answers really waiting in sockets.',
  'revoked keys': 'Running servers follow these commands within a second.',
  'entity tags': 'Strong `ETag` per representation: it names these bytes and no others.',
  documented: 'Machine readable description of all endpoints, parameters, responses and errors.',
  recorded:
    'The record of what was quoted and served: each answer is built again byte for byte, or lies in a gap that is named.',
  'seals hold': '`verify` names what is not as it was written.',
  'past price': 'What a market’s price was at an instant, from the record.',
  'well again': 'The market is left out until data returns; the status is operational when everything works.',
  'never delisted': 'Delisted: trading ended for good.',
  'no failure': 'An error that nobody handles ends a process.',
} as const;

export type Rule = keyof typeof rules;

export interface Violation {
  readonly rule: Rule;
  readonly atMs: number;
  readonly text: string;
}

/** How often each rule was looked at, and what was found. */
export class Findings {
  readonly checked = new Map<Rule, number>(Object.keys(rules).map((rule) => [rule as Rule, 0]));
  readonly violations: Violation[] = [];
  readonly #now: () => number;
  readonly #told: (violation: Violation) => void;

  constructor(now: () => number, told: (violation: Violation) => void) {
    this.#now = now;
    this.#told = told;
  }

  check(rule: Rule, holds: boolean, text: () => string): void {
    this.checked.set(rule, this.checked.get(rule)! + 1);
    if (holds) return;
    const violation = { rule, atMs: this.#now(), text: text() };
    this.violations.push(violation);
    this.#told(violation);
  }
}
