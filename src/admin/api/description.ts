import Type from 'typebox';
import { managementDocument } from './document.ts';
import { type Operation, operation } from './operation.ts';

/** GET /api/openapi.json: the description of these operations, itself among them. */
export function describing(others: readonly Operation[]): readonly Operation[] {
  const readDocument: Operation = operation({
    method: 'GET',
    path: '/api/openapi.json',
    operationId: 'readDocument',
    tag: 'Description',
    summary: 'This document',
    description: 'The description of the management API, as OpenAPI 3.1.',
    access: 'anybody',
    answer: {
      status: 200,
      description: 'The document.',
      schema: Type.Unsafe<object>({
        description: 'An OpenAPI document.',
        type: 'object',
        additionalProperties: true,
        examples: [{ openapi: '3.1.0', info: {}, paths: {} }],
      }),
    },
    handle: () => managementDocument(all),
  });
  const all = [...others, readDocument];
  return all;
}
