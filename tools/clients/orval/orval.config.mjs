export default {
  mdapi: {
    input: 'typescript.json',
    output: {
      target: 'generated/api.ts',
      client: 'fetch',
      override: { mutator: { path: 'request.ts', name: 'request' } },
    },
  },
};
