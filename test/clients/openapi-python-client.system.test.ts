import { describeClient } from './client-suite.ts';
import { type BuiltClient, DrivenClient, needsOf } from './driven-client.ts';

const client: BuiltClient = {
  folder: 'python',
  command: ['python/venv/bin/python', 'python/driver.py'],
  wants: 'Python 3.10 or later',
};

describeClient({
  name: 'openapi-python-client',
  needs: needsOf(client),
  start: (baseUrl) => new DrivenClient(client, baseUrl),
});
