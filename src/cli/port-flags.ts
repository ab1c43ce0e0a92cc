import type { Flag } from '../configuration/sources.ts';
import type { CommandInput } from './command.ts';

/** `--port` as a setting that goes before the configured one. */
export function portFlags(input: CommandInput): readonly Flag[] {
  const port = input.option('port');
  return port === undefined ? [] : [{ flag: '--port', key: 'server.port', value: port }];
}
