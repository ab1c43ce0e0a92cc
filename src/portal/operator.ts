import type { Asset } from './assets.ts';

/** Who runs the service, as its pages show it. */
export interface Operator {
  /** Of the portal; that of the API when left out. */
  readonly name: string | undefined;
  /** Where people can be reached: `mailto:` or a web address. */
  readonly contact: string | undefined;
  /** Address of the terms of use. */
  readonly terms: string | undefined;
  readonly logo: Asset | undefined;
  /** The style of the pages, with the operator's colours in it. */
  readonly style: Asset;
}
