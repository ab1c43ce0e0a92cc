/** A state in words, for the pages and their scripts. In English; `say` has the rest. */
export interface StateWords {
  readonly word: string;
  readonly meaning: string;
}

/** Each state that the service reports, and how status pages name it: of the whole service, and of one component. */
export const states = {
  operational: {
    word: 'Operational',
    meaning: 'Everything works.',
    indicator: 'none',
    component: 'operational',
  },
  degraded: {
    word: 'Degraded',
    meaning: 'Prices are served, but the service works worse than usual: see the age of the data.',
    indicator: 'minor',
    component: 'degraded_performance',
  },
  outage: {
    word: 'Outage',
    meaning:
      'Market data is not arriving, or is too old to rely on. The last known prices are still served: check their timestamps.',
    indicator: 'major',
    component: 'major_outage',
  },
  maintenance: {
    word: 'Maintenance',
    meaning:
      'An announced maintenance window is running. Until it ends, every endpoint under /v1 but /v1/status answers 503 SERVICE_MAINTENANCE.',
    indicator: 'maintenance',
    component: 'under_maintenance',
  },
} as const;

/** What `operational` means while people tell of an incident: a part of it may be what nothing measures. */
export const openIncidentMeaning = 'Nothing that is measured is wrong. An incident is open: see below.';

/** What `degraded` means while no data arrives. */
export const silentMeaning =
  'No market data is arriving. The last known prices are still served: see the age of the data.';
