import { readFileSync } from 'node:fs';
import type { TSchema } from 'typebox';
import { closeCodes, engineMessages, serviceMessages } from '../feed/push/messages.ts';

/** Says how an engine talks to the service, in CommonMark. */
function introduction(): string {
  const closes = Object.values(closeCodes).map(({ code, meaning }) => `\n- ${code}: ${meaning}`);
  return readFileSync(new URL('ingest-introduction.txt', import.meta.url), 'utf8') + closes.join('');
}

/** The AsyncAPI 3 document of `/ingest/v1` and of its streams in Redis, from the schemas that frames are checked with. */
export function ingestDocument() {
  const names = (messages: Readonly<Record<string, TSchema>>) => Object.keys(messages);
  const taken = names(engineMessages);
  const answered = names(serviceMessages);
  const of = (channel: string, all: readonly string[]) => ({
    channel: { $ref: `#/channels/${channel}` },
    messages: all.map((name) => ({ $ref: `#/channels/${channel}/messages/${name}` })),
  });
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
      redis: { host: '127.0.0.1:6379', protocol: 'redis', description: 'The configured Redis or Valkey server.' },
    },
    channels: {
      ingest: {
        address: '/ingest/v1',
        description: 'One connection of one engine.',
        servers: [{ $ref: '#/servers/private' }],
        messages: messagesNamed([...taken, ...answered]),
      },
      stream: streamChannel('', 'The stream that the engine of a source writes.', taken),
      answers: streamChannel(':answers', 'The stream that it reads.', answered),
    },
    operations: {
      push: { action: 'receive', summary: 'What the engine sends.', ...of('ingest', taken) },
      answer: { action: 'send', summary: 'What the service answers.', ...of('ingest', answered) },
      pushToStream: { action: 'receive', summary: 'What the engine adds to the stream.', ...of('stream', taken) },
      answerInStream: { action: 'send', summary: 'What the service adds to the other.', ...of('answers', answered) },
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

function messagesNamed(names: readonly string[]) {
  return Object.fromEntries(names.map((name) => [name, { $ref: `#/components/messages/${name}` }]));
}

function streamChannel(suffix: string, description: string, names: readonly string[]) {
  const tag = 'Literally so, with its braces: the part of the name that decides where a Redis Cluster keeps it.';
  return {
    address: `{tag}:source:{source}${suffix}`,
    description,
    servers: [{ $ref: '#/servers/redis' }],
    parameters: {
      tag: { enum: ['{mdapi}'], default: '{mdapi}', description: tag },
      source: { description: 'The id of the source in the configuration.', examples: ['engine'] },
    },
    messages: messagesNamed(names),
  };
}
