import type { Command } from '../command.ts';

export const demo: Command = {
  name: 'demo',
  summary: 'run the server on a stand-in exchange, with a fresh key (npm start)',
  details: [
    'Needs nothing: it starts a stand-in exchange beside the server and prints ready curl lines, the address of the console and a token for it.',
    'What it keeps is in .demo below the working directory, so every other command works on it with --config .demo/mdapi.yaml.',
  ],
  options: [
    { name: 'port', value: 'PORT', summary: 'port of the public listener (default: 8080)' },
    { name: 'dir', value: 'DIR', summary: 'where to keep the configuration and database (default: .demo)' },
  ],
  examples: [
    { line: 'npm start', note: 'the demo on http://127.0.0.1:8080' },
    { line: 'npm start -- --port 9000 --json', note: 'on another port; prints one JSON object' },
  ],
  async run(input, context) {
    const { runDemo } = await import('./run-demo.ts');
    return runDemo(input, context);
  },
};
