import { describeClient } from './client-suite.ts';
import { type BuiltClient, DrivenClient, needsOf } from './driven-client.ts';

const client: BuiltClient = {
  folder: 'kotlin',
  command: ['java', '-cp', 'kotlin/compiled:kotlin/libraries/*', 'DriverKt'],
  wants: 'Java 17 or later and Maven',
};

describeClient({
  name: 'openapi-generator for Kotlin',
  needs: needsOf(client),
  start: (baseUrl) => new DrivenClient(client, baseUrl),
});
