import { duration, section, setting, wholeNumber } from '../kinds.ts';

export const feed = section('Timing of the upstream connection.', {
  staleAfter: setting(
    duration('10s', ['1s', '5m']),
    'Silence after which the REST fallback takes over from the live connection, and checks a silent market.',
  ),
  pingEvery: setting(
    duration('1500ms', ['500ms', '1m']),
    'How often the live connection is pinged; under `feed.transportTimeout`. Every 1.5 s where it says more: a feed without a sign of life for 5 s is `degraded`.',
  ),
  transportTimeout: setting(
    duration('10s', ['1s', '1m']),
    'Time without any frame after which the connection is closed.',
  ),
  reconnectMin: setting(
    duration('500ms', ['50ms', '1m']),
    'First back-off before reconnecting; it doubles with each failure, and the wait is random below it.',
  ),
  reconnectMax: setting(duration('30s', ['1s', '10m']), 'Longest back-off.'),
  healthyAfter: setting(duration('30s', ['1s', '10m']), 'Time of healthy data after which the back-off starts over.'),
  fallbackPoll: setting(duration('1s', ['500ms', '1m']), {
    description:
      'REST polling interval while the live connection cannot be used. Data counts as arriving until a poll is 5 s overdue.',
    security: 'Polling faster than the exchange allows can lock your address out.',
  }),
  catalogueReload: setting(
    duration('10m', ['10s', '24h']),
    'How often the exchange’s list of markets is loaded; a market missing from two loads in a row that sends no ticker is paused.',
  ),
  requestTimeout: setting(
    duration('5s', ['500ms', '1m']),
    'Time for a REST answer of an exchange or rate source; three times that for the catalogue.',
  ),
  frameBytesMax: setting(wholeNumber(16_777_216, [65_536, 67_108_864]), {
    description:
      'Largest WebSocket frame accepted from any exchange, whose catalogue can be one, of about 400 bytes a pair; where an exchange sends small frames only, less is accepted.',
    security: 'Bounds the memory a broken upstream can take.',
  }),
});
