/** A state in words, for the pages and their scripts. In English; `say` has the rest. */
export interface StateWords {
  readonly word: string;
  readonly meaning: string;
}

/** Each state that the service reports. */
export const stateWords = {
  operational: { word: 'Operational', meaning: 'Everything works.' },
  degraded: {
    word: 'Degraded',
    meaning: 'Prices are served, but their data arrives over the fallback instead of the live feed.',
  },
  outage: {
    word: 'Outage',
    meaning:
      'Market data is not arriving, or is too old to rely on. The last known prices are still served: check their timestamps.',
  },
  maintenance: {
    word: 'Maintenance',
    meaning:
      'An announced maintenance window is running. Until it ends, every endpoint except GET /v1/status answers 503 SERVICE_MAINTENANCE.',
  },
} as const satisfies Readonly<Record<string, StateWords>>;
