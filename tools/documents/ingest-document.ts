import { readFileSync } from 'node:fs';
import type { TSchema } from 'typebox';
import { closeCodes, engineMessages, serviceMessages } from '../../src/feed/push/messages.ts';
import written from './ingest-document.json' with { type: 'json' };

/** Says how an engine talks to the service, in CommonMark. */
function introduction(): string {
  const closes = Object.values(closeCodes).map(({ code, meaning }) => `\n- ${code}: ${meaning}`);
  return readFileSync(new URL('ingest-introduction.txt', import.meta.url), 'utf8') + closes.join('');
}

/** The AsyncAPI 3 document of `/ingest/v1` and of its streams in Redis, from the schemas that frames are checked with. */
export function ingestDocument() {
  const { info, channels, operations, components } = written;
  const channelWith = <Channel>(channel: Channel, ...all: readonly object[]) => {
    const names = all.flatMap(Object.keys);
    const messages = Object.fromEntries(names.map((name) => [name, { $ref: `#/components/messages/${name}` }]));
    return { ...channel, messages };
  };
  const operationWith = <Operation extends { channel: { $ref: string } }>(operation: Operation, all: object) => {
    const messages = Object.keys(all).map((name) => ({ $ref: `${operation.channel.$ref}/messages/${name}` }));
    return { ...operation, messages };
  };
  return {
    ...written,
    info: { ...info, description: introduction() },
    channels: {
      ingest: channelWith(channels.ingest, engineMessages, serviceMessages),
      stream: channelWith(channels.stream, engineMessages),
      answers: channelWith(channels.answers, serviceMessages),
    },
    operations: {
      push: operationWith(operations.push, engineMessages),
      answer: operationWith(operations.answer, serviceMessages),
      pushToStream: operationWith(operations.pushToStream, engineMessages),
      answerInStream: operationWith(operations.answerInStream, serviceMessages),
    },
    components: { ...components, messages: messageComponents({ ...engineMessages, ...serviceMessages }) },
  };
}

function messageComponents(schemas: Readonly<Record<string, TSchema>>) {
  const components = Object.entries(schemas).map(([name, schema]) => {
    const summary = (schema as { description?: string }).description;
    return [name, { name, title: name, summary, payload: schema }];
  });
  return Object.fromEntries(components);
}
