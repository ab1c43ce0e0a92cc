import { PostgresSocket } from '../postgres-socket.ts';
import { theWorld } from '../world.ts';
import type { VirtualServer } from './http.ts';

/** Stands in for closing the server of the public listener: it takes no further connection, and keeps those it has. */
export const Server = {
  prototype: {
    close(this: VirtualServer, closed: () => void): void {
      this.closeListening(closed);
    },
  },
};

/** A connection to the PostgreSQL of the world. */
export class Socket extends PostgresSocket {
  constructor() {
    super((client) => {
      const { postgres } = theWorld();
      if (postgres === undefined) throw new Error('this world has no PostgreSQL');
      return postgres.connect(client);
    });
  }
}
