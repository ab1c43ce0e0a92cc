import Type from 'typebox';
import { RequestSchema, requestId, requestView } from '../../operator/request.ts';
import { operation } from './operation.ts';
import { Problem } from './problems.ts';

export const readRequest = operation({
  method: 'GET',
  path: '/api/requests/:id',
  operationId: 'readRequest',
  access: 'read-only',
  summary: 'One request, by the id that its client quotes',
  description:
    'Found are the latest 10,000 requests of valid keys and as many others, of this process and since its start. The access log (`logs.access`) has older ones.',
  params: Type.Object({ id: requestId }),
  answer: RequestSchema,
  problems: ['NOT_FOUND'],
  handle({ params }, { listener }) {
    const found = listener.recent.find(params.id);
    if (found === undefined)
      throw new Problem('NOT_FOUND', 'This process does not know this request, or not any more.');
    return requestView(found);
  },
});
