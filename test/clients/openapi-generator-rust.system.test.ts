import { describeClient } from './client-suite.ts';
import { type BuiltClient, DrivenClient, needsOf } from './driven-client.ts';

const client: BuiltClient = {
  folder: 'rust',
  command: ['rust/target/debug/driver'],
  wants: 'cargo, Java 11 or later and Maven',
};

describeClient({
  name: 'openapi-generator for Rust',
  needs: needsOf(client),
  start: (baseUrl) => new DrivenClient(client, baseUrl),
});
