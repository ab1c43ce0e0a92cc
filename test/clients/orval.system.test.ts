import { describeClient } from './client-suite.ts';
import { type BuiltClient, DrivenClient, needsOf } from './driven-client.ts';

const client: BuiltClient = {
  folder: 'orval',
  command: [process.execPath, 'orval/compiled/driver.js'],
  wants: 'npm',
};

describeClient({
  name: 'orval',
  needs: needsOf(client),
  start: (baseUrl) => new DrivenClient(client, baseUrl),
});
