import { connectorConformance } from '../conformance.testing.ts';
import { OkxConnector } from './connector.ts';

connectorConformance({
  dialect: 'okx',
  connector: OkxConnector,
  acknowledges: 'each',
  plansReconnects: true,
  maintenance: 'announced',
  listsEnded: true,
  hasCandles: true,
});
