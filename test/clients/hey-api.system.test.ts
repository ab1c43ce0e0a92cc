import { describeClient } from './client-suite.ts';
import { type BuiltClient, DrivenClient, needsOf } from './driven-client.ts';

const client: BuiltClient = {
  folder: 'hey-api',
  command: [process.execPath, 'hey-api/compiled/driver.js'],
  wants: 'npm',
};

describeClient({ name: 'hey-api', needs: needsOf(client), start: (baseUrl) => new DrivenClient(client, baseUrl) });
