import type { TSchema } from 'typebox';
import { closeCodes, engineMessages, serviceMessages } from '../../src/feed/push/messages.ts';

/**
 * The AsyncAPI 3 document of `/ingest/v1` and of its streams in Redis, from the schemas that frames are checked with.
 */
export function ingestDocument() {
  return {
    asyncapi: '3.1.0',
    info: {
      title: 'Market Data Ingest',
      version: '1.0.0',
      description: introduction(),
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
      redis: {
        host: '127.0.0.1:6379',
        protocol: 'redis',
        description: 'The configured Redis or Valkey server.',
      },
    },
    channels: {
      ingest: {
        address: '/ingest/v1',
        description: 'One connection of one engine.',
        servers: [{ $ref: '#/servers/private' }],
        messages: messagesOf('#/components', { ...engineMessages, ...serviceMessages }),
      },
      stream: {
        address: '{tag}:source:{source}',
        description: 'The stream that the engine of a source writes.',
        servers: [{ $ref: '#/servers/redis' }],
        parameters: streamParameters,
        messages: messagesOf('#/components', engineMessages),
      },
      answers: {
        address: '{tag}:source:{source}:answers',
        description: 'The stream that it reads.',
        servers: [{ $ref: '#/servers/redis' }],
        parameters: streamParameters,
        messages: messagesOf('#/components', serviceMessages),
      },
    },
    operations: {
      push: operation('receive', 'What the engine sends.', 'ingest', engineMessages),
      answer: operation('send', 'What the service answers.', 'ingest', serviceMessages),
      pushToStream: operation('receive', 'What the engine adds to the stream.', 'stream', engineMessages),
      answerInStream: operation('send', 'What the service adds to the other.', 'answers', serviceMessages),
    },
    components: {
      messages: messageComponents({ ...engineMessages, ...serviceMessages }),
      securitySchemes: {
        token: { type: 'http', scheme: 'bearer', description: 'A token of the source, `mds_…`.' },
      },
    },
  };
}

type Messages = Readonly<Record<string, TSchema>>;

/** Says how an engine talks to the service, in CommonMark. */
function introduction(): string {
  const closes = Object.values(closeCodes).map(({ code, meaning }) => `- ${code}: ${meaning}`);
  return `An engine of the operator's own pushes its markets and prices to a source of kind \`push\`. It connects to the private
listener with \`Authorization: Bearer mds_…\`; \`mdapi sources token ID\` makes the token. Frames are JSON texts, one message each.

A connection begins with \`hello\`. The service answers with \`resync\`, and the engine sends its \`catalogue\`, then \`snapshot\` begin, a
\`ticker\` of every market with a price, and \`snapshot\` end. From then on it sends a \`ticker\` for every change, each numbered one higher than
the one before, and a \`heartbeat\` every second.

Every ticker is the whole state of its market. A number that is left out is answered with \`resync\`: the snapshot makes up for it. Refused
tickers count in the sequence. An engine that restarts takes a higher \`epoch\`; the connection of a lower one ends.

Through Redis Streams, to a source of kind \`redis-stream\`, it writes the same messages as entries of a stream: the field \`message\` is the JSON
text, \`epoch\` the number of the \`hello\`. Answers have the same two fields, in a stream of their own.

How the service closes a connection:

${closes.join('\n')}`;
}

const streamParameters = {
  tag: {
    enum: ['{mdapi}'],
    default: '{mdapi}',
    description: 'Literally so, with its braces: the part of the name that decides where a Redis Cluster keeps it.',
  },
  source: { description: 'The id of the source in the configuration.', examples: ['engine'] },
};

function messagesOf(place: string, messages: Messages) {
  const names = Object.keys(messages);
  return Object.fromEntries(names.map((name) => [name, { $ref: `${place}/messages/${name}` }]));
}

function operation(
  action: 'send' | 'receive',
  summary: string,
  channel: 'ingest' | 'stream' | 'answers',
  messages: Messages,
) {
  const place = `#/channels/${channel}`;
  return { action, summary, channel: { $ref: place }, messages: Object.values(messagesOf(place, messages)) };
}

function messageComponents(messages: Messages) {
  const components = Object.entries(messages).map(([name, schema]) => {
    const summary = (schema as { description?: string }).description;
    return [name, { name, title: name, summary, payload: schema }];
  });
  return Object.fromEntries(components);
}
