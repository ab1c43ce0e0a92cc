import { connectorConformance } from '../conformance.testing.ts';
import { BitvavoConnector } from './connector.ts';

connectorConformance({
  dialect: 'bitvavo',
  connector: BitvavoConnector,
  acknowledges: 'set',
  plansReconnects: false,
  maintenance: 'markets',
  hasCandles: true,
  frameBytesMax: 1_048_576,
});
