import type { VirtualServer } from './http.ts';

/** What the public listener closes its server with: no further connection, and those there are stay. */
export const Server = {
  prototype: {
    close(this: VirtualServer, closed: () => void): void {
      this.closeListening(closed);
    },
  },
};
