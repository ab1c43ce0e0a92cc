import { connectorConformance } from '../conformance.testing.ts';
import { BinanceConnector } from './connector.ts';

connectorConformance({
  dialect: 'binance',
  connector: BinanceConnector,
  acknowledges: 'none',
  plansReconnects: true,
  maintenance: 'markets',
  listsEnded: true,
  hasCandles: true,
  endsDaily: true,
  frameBytesMax: 1_048_576,
});
