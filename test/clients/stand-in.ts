import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { ExampleResponse } from '../contract/example-server.ts';

/** A server that answers every request with what a test gives it next. */
export class StandIn {
  answer: ExampleResponse = { status: 500, headers: {}, body: '' };
  readonly #server = createServer((_request, response) => {
    const { status, headers, body } = this.answer;
    response.writeHead(status, { ...headers, Connection: 'close' }).end(body);
  });

  async start(): Promise<void> {
    await new Promise<void>((resolve) => {
      this.#server.listen(0, '127.0.0.1', resolve);
    });
  }

  get baseUrl(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  /** The answer with members of its JSON body replaced or added. */
  static withMembers(answer: ExampleResponse, members: object): ExampleResponse {
    return { ...answer, body: JSON.stringify({ ...JSON.parse(answer.body), ...members }) };
  }

  stop(): void {
    this.#server.closeAllConnections();
    this.#server.close();
  }
}
