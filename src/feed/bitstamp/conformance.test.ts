import { connectorConformance } from '../conformance.testing.ts';
import { BitstampConnector } from './connector.ts';

connectorConformance({
  dialect: 'bitstamp',
  connector: BitstampConnector,
  acknowledges: 'each',
  plansReconnects: true,
  maintenance: 'markets',
  listsEnded: true,
  hasCandles: true,
  frameBytesMax: 1_048_576,
  polls: 'statistics',
});
