/** Prints text. */
export type Print = (text: string) => void;

/** What is added up of each seed. */
export interface Tally {
  readonly seed: number;
  readonly days: number;
  /** Of the processor. */
  readonly seconds: number;
  readonly isWell: boolean;
  readonly faults: readonly string[];
  readonly checks: readonly (readonly [name: string, times: number])[];
}
