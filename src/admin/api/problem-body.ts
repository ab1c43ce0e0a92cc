import Type from 'typebox';
import { component, line } from '../../operator/fields.ts';
import { operation } from './operation.ts';
import { Problem, type ProblemCode, problemCodes, problemSlug, problemTable, problemType } from './problems.ts';

const code = Type.Unsafe<ProblemCode>({
  description: 'Machine readable. Decide on this, not on the texts. The set can grow.',
  type: 'string',
  enum: [...problemCodes],
  examples: ['NOT_FOUND'],
});

export const ProblemSchema = Type.Object(
  {
    type: Type.String({
      description: 'Path of this listener that describes the problem.',
      format: 'uri-reference',
      examples: ['/api/problems/not-found'],
    }),
    title: line('Always the same for a code.', 'Not found', 100),
    status: Type.Integer({ description: 'The HTTP status.', minimum: 400, maximum: 599, examples: [404] }),
    code,
    detail: line(
      'What went wrong this time and how to mend it, for people.',
      'There is no key key_4fGh72Kq0ZsTn1Lw.',
      4_000,
    ),
    requestId: Type.String({
      description: 'Equals the `X-Request-Id` header; the log has faults of the service under it.',
      pattern: '^[A-Za-z0-9_-]{16,64}$',
      examples: ['9f2c51d07ab84e6c8d1e7f3a2b4c5d6e'],
    }),
    errors: Type.Optional(
      Type.Array(
        Type.Object(
          {
            field: line('The field, as in the request; empty for the body as a whole.', 'email', 100),
            message: line('What is wrong with it.', 'is missing.', 1_000),
          },
          { description: 'A field that is wrong.' },
        ),
        { description: 'With INVALID_INPUT: every field that is wrong.' },
      ),
    ),
  },
  { description: 'A problem (RFC 9457) with a code and a request id.' },
);

export const ProblemDescriptionSchema = Type.Object(
  {
    code,
    title: line('Always the same for a code.', 'Not found', 100),
    status: Type.Integer({ description: 'The HTTP status.', minimum: 400, maximum: 599, examples: [404] }),
    description: line('What leads to it and what to do.', problemTable.NOT_FOUND.description, 1_000),
  },
  { description: 'What a problem is about.' },
);

export const readProblem = operation({
  method: 'GET',
  path: '/api/problems/:slug',
  operationId: 'readProblem',
  tag: 'Description',
  summary: 'What a problem is about',
  description: 'What the `type` of a problem leads to.',
  access: 'anybody',
  params: Type.Object({
    slug: Type.String({
      description: 'The name of the problem: its code in small letters, with dashes.',
      minLength: 1,
      maxLength: 64,
      pattern: '^[a-z-]+$',
      examples: [problemSlug('NOT_FOUND')],
    }),
  }),
  answer: {
    status: 200,
    description: 'The problem.',
    schema: component<typeof ProblemDescriptionSchema>('ProblemDescription'),
  },
  problems: ['NOT_FOUND'],
  handle({ params }) {
    const found = problemCodes.find((known) => problemType(known).endsWith(`/${params.slug}`));
    if (found === undefined) throw new Problem('NOT_FOUND', 'There is no problem of this name.');
    const { title, status, description } = problemTable[found];
    return { code: found, title, status, description };
  },
});
