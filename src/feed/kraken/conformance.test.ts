import { connectorConformance } from '../conformance.testing.ts';
import { KrakenConnector } from './connector.ts';

connectorConformance({
  dialect: 'kraken',
  connector: KrakenConnector,
  acknowledges: 'each',
  plansReconnects: false,
  maintenance: 'announced',
  hasCandles: true,
});
