import { describeClient } from './client-suite.ts';
import { type BuiltClient, DrivenClient, needsOf } from './driven-client.ts';

const client: BuiltClient = {
  folder: 'csharp',
  command: ['mono', 'csharp/compiled/driver.exe'],
  wants: 'Mono, Java 17 or later and Maven',
};

describeClient({
  name: 'openapi-generator for C#',
  needs: needsOf(client),
  start: (baseUrl) => new DrivenClient(client, baseUrl),
});
