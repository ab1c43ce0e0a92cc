import type { Static, TObject, TProperties } from 'typebox';
import { Type } from '../contract/schema-builder.ts';
import type { AlertEvent } from '../operator/alert-event.ts';
import type { AlertFact } from '../store/alerts.ts';
import type { Observed } from './observed.ts';

/** `critical` wakes somebody up, `warning` waits for working hours, `info` is known and no trouble. */
export type Severity = AlertFact['severity'];

/** How Prometheus finds a condition. */
export interface Rule {
  /** PromQL, over the metrics of `/metrics`. */
  readonly expr: string;
  /** The title with labels in it, where it says more so. */
  readonly summary?: string;
  /** One or two sentences, with labels and `$value`. */
  readonly description: string;
  /** Why the expression is as it is. */
  readonly comment?: string;
}

/** How readiness and the overview note a condition, from the moment it is found. */
interface NoteForm<Values> {
  /** The page of the console that shows more; null where none does. */
  readonly page: string | null;
  /** Where it is less urgent than its alert. */
  readonly level?: Severity;
  /** Where only some findings are noted. */
  when?(values: Values): boolean;
  /** Where the note says less than the alert. */
  sentence?(values: Values): string;
  /** Names markets that the console links to. */
  markets?(values: Values): readonly string[];
}

/** A thing for which a condition holds. */
export type Finding<Values> = {
  /** Whom or what it concerns: with the code it says which alert it is. The condition's event when left out. */
  readonly subject?: string;
  /** The condition's when left out. */
  readonly severity?: Severity;
} & (object extends Values ? { readonly values?: Values } : { readonly values: Values });

/** Says whether a counter has grown within a time. A reading at one instant, as readiness is, says no. */
export type HasGrown = (count: number, withinMs: number) => boolean;

interface Declared {
  /** The kind of thing: a destination of alerts can leave it out. */
  readonly event: AlertEvent;
  readonly severity: Severity;
  /** How long it must hold before it is told. */
  readonly forMs: number;
  /**
   * Says it in a few words, whatever the values: the summary of the rule, and the sentence where nothing else is said.
   */
  readonly title: string;
}

/** A condition that a process finds by itself. */
export interface Condition<Values> extends Declared {
  /** Describes for the API what a finding names. */
  readonly schema: TObject;
  find(observed: Observed, hasGrown: HasGrown): boolean | Iterable<Finding<Values>>;
  /** Gives one plain English sentence. */
  sentence(values: Values): string;
  readonly note?: NoteForm<Values>;
  /** Where it can be told by metrics too. */
  readonly rule?: Rule;
  /** It begins and ends at an instant that somebody set: both are told at once. */
  readonly isExact?: boolean;
  /**
   * A window that runs explains it: it is not told then, nor told again, and one that was told before does not end by
   * it. Only what a window is announced for, never what shows damage or loss.
   */
  readonly isPlannedInMaintenance?: boolean;
  /** It is no trouble by itself: noted after others that are critical, and never an alert. */
  readonly isAside?: boolean;
}

/** A condition that shows only over several processes or over a time, which is left to Prometheus. */
export interface MeasuredCondition extends Declared {
  readonly rule: Rule;
}

type Declaration<Properties extends TProperties, Values = Static<TObject<Properties>>> = Omit<
  Condition<Values>,
  'schema' | 'sentence'
> & {
  readonly values?: Properties;
} & (object extends Values ? { sentence?(values: Values): string } : { sentence(values: Values): string });

/** Declares a condition that a process finds; the types of `find` and `sentence` are those of `values`. */
export function condition<const Properties extends TProperties = Record<never, never>>(
  declaration: Declaration<Properties>,
): Condition<Static<TObject<Properties>>> {
  const { values, sentence, ...rest } = declaration as Declaration<TProperties>;
  const said = sentence ?? (() => rest.title);
  const schema = Type.Object(values ?? {}, { description: 'What it names.' });
  return { ...rest, schema, sentence: said } as unknown as Condition<Static<TObject<Properties>>>;
}

/** Declares a condition that only Prometheus finds. */
export function measured(declaration: MeasuredCondition): MeasuredCondition {
  return declaration;
}
