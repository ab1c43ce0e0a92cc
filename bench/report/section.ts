/** A figure that was promised. */
export interface Bar {
  readonly promise: string;
  readonly measured: string;
  readonly met: boolean;
}

/** What one measurement found, for people and for programs. */
export interface Section {
  readonly title: string;
  /** What was done and how to read it, in a few sentences. */
  readonly meaning: string;
  readonly columns: readonly string[];
  readonly rows: readonly (readonly string[])[];
  readonly bars: readonly Bar[];
  /** The unrounded figures. */
  readonly figures: unknown;
}
