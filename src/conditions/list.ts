import { clients } from './clients.ts';
import { cluster } from './cluster.ts';
import type { Condition } from './condition.ts';
import { data } from './data.ts';
import { lists } from './lists.ts';
import { prices } from './prices.ts';
import { certificate, service } from './process.ts';
import { rates } from './rates.ts';
import { record } from './record.ts';
import { sources } from './sources.ts';
import { store } from './store.ts';

/** Conditions by their matter, in the order in which they are noted. */
export const matters = { service, data, lists, sources, store, record, prices, rates, cluster, certificate, clients };

/**
 * All that can be wrong with the service, by its code. Readiness, the overview of the console, alerts and the rules for
 * Prometheus are views of it.
 */
export const conditions = {
  ...service,
  ...data,
  ...lists,
  ...sources,
  ...store,
  ...record,
  ...prices,
  ...rates,
  ...cluster,
  ...certificate,
  ...clients,
};

type Conditions = typeof conditions;

/**
 * The name of a condition, the same everywhere: in the API, in alerts, in the rules for Prometheus and in the runbook.
 */
export type ConditionCode = keyof Conditions;

/** The codes that a process finds by itself, each with its values. */
export type ConditionValues = {
  [Code in ConditionCode as Conditions[Code] extends Pick<AnyCondition, 'schema'>
    ? Code
    : never]: Conditions[Code] extends Condition<infer Values> ? Values : never;
};

export type FoundCode = keyof ConditionValues;

/** The code of a condition that a process found, with its values. */
export type FoundCondition = {
  [Code in FoundCode]: { readonly code: Code; readonly values: ConditionValues[Code] };
}[FoundCode];

/** Whatever its values: they are those that its own `find` gave. */
export type AnyCondition = Condition<object>;

/** The conditions that a process finds by itself, in their order. */
export const foundConditions = Object.entries(conditions).filter(
  (entry): entry is [FoundCode, (typeof entry)[1] & AnyCondition] => 'find' in entry[1],
);
