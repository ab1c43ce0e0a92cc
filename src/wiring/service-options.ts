import type { Configuration } from '../configuration/configuration.ts';
import type { Clock, Randomness } from '../ground/clock.ts';
import type { Log } from '../ground/log.ts';
import type { LogFigures } from '../ground/log-sink.ts';

export interface ServiceOptions {
  readonly configuration: Configuration;
  readonly clock: Clock;
  readonly randomness: Randomness;
  readonly log: Log;
  /** Whether the log is written; absent where somebody else writes it. */
  readonly logFigures?: (() => LogFigures) | undefined;
  /** Reads it again; see `SourceReload`. */
  readonly reread?: (() => Promise<Configuration>) | undefined;
  /** The file it was read from, for the log. */
  readonly configurationFile?: string | undefined;
  /** The version of this software, for the root document and the metrics. */
  readonly version: string;
  /** Only this part of the service, which needs Redis to reach the other. Both when left out. */
  readonly only?: 'feed' | 'api' | undefined;
  /** Ends a start that still waits for its database. */
  readonly signal?: AbortSignal | undefined;
}
