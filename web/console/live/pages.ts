import { useEffect, useState } from 'preact/hooks';

/** Leafing through a list that is told a page at a time. */
export interface Leafing {
  /** Of the page shown; empty for the first. */
  readonly after: string;
  readonly hasPrevious: boolean;
  readonly previous: () => void;
  readonly next: (cursor: string) => void;
}

/** Begins anew with another `question`. */
export function useLeafing(question: string): Leafing {
  const [trail, setTrail] = useState<readonly string[]>([]);
  useEffect(() => setTrail([]), [question]);
  return {
    after: trail.at(-1) ?? '',
    hasPrevious: trail.length > 0,
    previous: () => setTrail(trail.slice(0, -1)),
    next: (cursor) => setTrail([...trail, cursor]),
  };
}

/** `accounts?query=x`, without what is empty. */
export function pathWith(path: string, query: Readonly<Record<string, string>>): string {
  const text = new URLSearchParams(Object.entries(query).filter(([, value]) => value !== '')).toString();
  return text === '' ? path : `${path}?${text}`;
}
