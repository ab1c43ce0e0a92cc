import { describeClient } from './client-suite.ts';
import { type BuiltClient, DrivenClient, needsOf } from './driven-client.ts';

const client: BuiltClient = {
  folder: 'java',
  command: ['java', '-cp', 'java/compiled:java/libraries/*', 'Driver'],
  wants: 'Java 17 or later and Maven',
};

describeClient({
  name: 'openapi-generator for Java',
  needs: needsOf(client),
  start: (baseUrl) => new DrivenClient(client, baseUrl),
});
