import { describeClient } from './client-suite.ts';
import { type BuiltClient, DrivenClient, needsOf } from './driven-client.ts';

const client: BuiltClient = {
  folder: 'openapi-go',
  command: ['openapi-go/driver'],
  wants: 'Go, Java 17 or later and Maven',
};

describeClient({
  name: 'openapi-generator for Go',
  needs: needsOf(client),
  checksParameters: true,
  start: (baseUrl) => new DrivenClient(client, baseUrl),
});
