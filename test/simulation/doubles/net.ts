import type { VirtualServer } from './http.ts';

/** Stands in for closing the server of the public listener: it takes no further connection, and keeps those it has. */
export const Server = {
  prototype: {
    close(this: VirtualServer, closed: () => void): void {
      this.closeListening(closed);
    },
  },
};
