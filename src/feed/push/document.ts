import type { TSchema } from 'typebox';
import { engineMessages, serviceMessages } from './messages.ts';

const introduction = `An engine of the operator's own pushes its markets and prices to a source of kind \`push\`. It connects to the private
listener with \`Authorization: Bearer mds_…\`; \`mdapi sources token ID\` makes the token. Frames are JSON texts, one message each.

A connection begins with \`hello\`. The service answers with \`resync\`, and the engine sends its \`catalogue\`, then \`snapshot\` begin, a
\`ticker\` of every market with a price, and \`snapshot\` end. From then on it sends a \`ticker\` for every change, each numbered one higher than
the one before, and a \`heartbeat\` every second.

Every ticker is the whole state of its market. A number that is left out is answered with \`resync\`: the snapshot heals it. Refused
tickers count in the sequence. An engine that starts anew takes a higher \`epoch\`; the connection of a lower one ends.

Closing codes: 1007 not readable, 4001 out of turn, 4002 fenced, 4003 silent, 4004 answers not read, 4005 token revoked, 1013 connect again.`;

/** The AsyncAPI 3 document of `/ingest/v1`, from the schemas that frames are checked with. */
export function ingestDocument() {
  const names = (messages: Readonly<Record<string, TSchema>>) => Object.keys(messages);
  const ofChannel = (name: string) => ({ $ref: `#/channels/ingest/messages/${name}` });
  return {
    asyncapi: '3.1.0',
    info: {
      title: 'Market Data Ingest',
      version: '1.0.0',
      description: introduction,
      license: { name: 'Apache License 2.0', url: 'https://www.apache.org/licenses/LICENSE-2.0' },
      tags: [{ name: 'ingest' }],
    },
    defaultContentType: 'application/json',
    servers: {
      private: {
        host: '127.0.0.1:9090',
        protocol: 'ws',
        description: 'The private listener.',
        security: [{ $ref: '#/components/securitySchemes/token' }],
      },
    },
    channels: {
      ingest: {
        address: '/ingest/v1',
        description: 'One connection of one engine.',
        messages: Object.fromEntries(
          [...names(engineMessages), ...names(serviceMessages)].map((name) => [
            name,
            { $ref: `#/components/messages/${name}` },
          ]),
        ),
      },
    },
    operations: {
      push: {
        action: 'receive',
        channel: { $ref: '#/channels/ingest' },
        summary: 'What the engine sends.',
        messages: names(engineMessages).map(ofChannel),
      },
      answer: {
        action: 'send',
        channel: { $ref: '#/channels/ingest' },
        summary: 'What the service answers.',
        messages: names(serviceMessages).map(ofChannel),
      },
    },
    components: {
      messages: Object.fromEntries(
        Object.entries({ ...engineMessages, ...serviceMessages }).map(([name, schema]) => [
          name,
          { name, title: name, summary: (schema as { description?: string }).description, payload: schema },
        ]),
      ),
      securitySchemes: {
        token: { type: 'http', scheme: 'bearer', description: 'A token of the source, `mds_…`.' },
      },
    },
  };
}
