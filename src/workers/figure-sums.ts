import type { SharedLimitFigures } from '../cluster/redis-limits.ts';
import type { ConnectionFigures } from '../http/public-listener.ts';

/** What a thread counted since it started. */
interface OneThread {
  readonly connections: ConnectionFigures;
  readonly sharedLimits: SharedLimitFigures | undefined;
}

const noConnections: ConnectionFigures = { open: 0, dropped: 0, cut: 0 };
const noLimits = { fallbacks: 0, countedShared: 0, countedAlone: 0, refusedUnasked: 0 };
const notConnected = { ...noLimits, isUp: false, reason: 'no thread has told yet', clockSkewMs: undefined };

/** What all threads counted together. What a thread that is gone counted stays. */
export class FigureSums {
  readonly #newest = new Map<number, OneThread>();
  #connectionsOfTheGone = noConnections;
  #limitsOfTheGone = noLimits;

  report(owner: number, figures: OneThread): void {
    this.#newest.set(owner, figures);
  }

  ended(owner: number): void {
    const last = this.#newest.get(owner);
    if (last === undefined) return;
    this.#newest.delete(owner);
    this.#connectionsOfTheGone = addConnections(this.#connectionsOfTheGone, { ...last.connections, open: 0 });
    this.#limitsOfTheGone = addLimits(this.#limitsOfTheGone, last.sharedLimits ?? noLimits);
  }

  connections(): ConnectionFigures {
    return [...this.#newest.values()]
      .map(({ connections }) => connections)
      .reduce(addConnections, this.#connectionsOfTheGone);
  }

  /** Of what is no count: as in the first thread that counts alone, or else in any. */
  sharedLimits(): SharedLimitFigures {
    const all = [...this.#newest.values()].flatMap(({ sharedLimits }) => sharedLimits ?? []);
    const told = all.find(({ isUp }) => !isUp) ?? all[0] ?? notConnected;
    return { ...told, ...all.reduce(addLimits, this.#limitsOfTheGone) };
  }
}

function addConnections(one: ConnectionFigures, other: ConnectionFigures): ConnectionFigures {
  return { open: one.open + other.open, dropped: one.dropped + other.dropped, cut: one.cut + other.cut };
}

function addLimits(one: typeof noLimits, other: typeof noLimits): typeof noLimits {
  return {
    fallbacks: one.fallbacks + other.fallbacks,
    countedShared: one.countedShared + other.countedShared,
    countedAlone: one.countedAlone + other.countedAlone,
    refusedUnasked: one.refusedUnasked + other.refusedUnasked,
  };
}
