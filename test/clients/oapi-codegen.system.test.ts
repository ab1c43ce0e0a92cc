import { describeClient } from './client-suite.ts';
import { type BuiltClient, DrivenClient, needsOf } from './driven-client.ts';

const client: BuiltClient = { folder: 'go', command: ['go/driver'], wants: 'Go 1.25 or later' };

describeClient({ name: 'oapi-codegen', needs: needsOf(client), start: (baseUrl) => new DrivenClient(client, baseUrl) });
