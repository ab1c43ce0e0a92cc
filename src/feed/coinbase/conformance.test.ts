import { connectorConformance } from '../conformance.testing.ts';
import { CoinbaseConnector } from './connector.ts';

connectorConformance({
  dialect: 'coinbase',
  connector: CoinbaseConnector,
  acknowledges: 'set',
  plansReconnects: false,
  maintenance: 'markets',
  listsEnded: true,
  hasCandles: true,
  polls: 'statistics',
});
