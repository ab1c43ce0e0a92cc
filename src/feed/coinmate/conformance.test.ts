import { connectorConformance } from '../conformance.testing.ts';
import { CoinmateConnector } from './connector.ts';

connectorConformance({
  dialect: 'coinmate',
  connector: CoinmateConnector,
  acknowledges: 'each',
  plansReconnects: false,
  maintenance: 'none',
  hasCandles: false,
  polls: 'everything',
});
