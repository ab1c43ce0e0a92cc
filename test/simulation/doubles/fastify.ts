import platformFastify, { type FastifyInstance, type FastifyServerOptions } from 'fastify';
import { theWorld } from '../world.ts';

/** The private listener as it is, without a socket: it is asked through `inject`. */
export default function fastify(options: FastifyServerOptions): FastifyInstance {
  const app = platformFastify(options) as unknown as FastifyInstance;
  const { lane, privateListeners } = theWorld();
  app.listen = async () => {
    await app.ready();
    privateListeners.set(lane.name, app);
    return `http://${lane.name}:9090`;
  };
  return app;
}
