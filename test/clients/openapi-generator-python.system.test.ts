import { describeClient } from './client-suite.ts';
import { type BuiltClient, DrivenClient, needsOf } from './driven-client.ts';

const client: BuiltClient = {
  folder: 'pydantic',
  command: ['env', 'PYTHONPATH=pydantic/generated', 'pydantic/venv/bin/python', 'pydantic/driver.py'],
  wants: 'Python 3.10 or later, Java 17 or later and Maven',
};

describeClient({
  name: 'openapi-generator for Python',
  needs: needsOf(client),
  checksParameters: true,
  start: (baseUrl) => new DrivenClient(client, baseUrl),
});
