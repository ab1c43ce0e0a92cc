import { createServer, type IncomingHttpHeaders, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import type { TestContext } from 'node:test';

interface ReceivedWebhook {
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
  readonly path: string;
}

/** A receiver on a socket of its own, that is closed with the test. */
export class WebhookReceiver {
  readonly requests: ReceivedWebhook[] = [];
  /** 204 when left out. */
  answer: ((response: ServerResponse) => unknown) | undefined;
  readonly #server: Server;

  constructor() {
    this.#server = createServer(async (request, response) => {
      const body = await text(request);
      this.requests.push({ headers: request.headers, body, path: request.url ?? '' });
      if (this.answer === undefined) response.writeHead(204).end();
      else this.answer(response);
    });
  }

  static async start(t: Pick<TestContext, 'after'>): Promise<WebhookReceiver> {
    const receiver = new WebhookReceiver();
    await new Promise<void>((resolve) => receiver.#server.listen(0, '127.0.0.1', resolve));
    t.after(() => receiver.close());
    return receiver;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}/hook`;
  }

  close(): Promise<void> {
    this.#server.closeAllConnections();
    return new Promise((resolve) => this.#server.close(() => resolve()));
  }
}
