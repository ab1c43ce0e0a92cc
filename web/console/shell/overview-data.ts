import { createContext } from 'preact';
import { useContext, useEffect } from 'preact/hooks';
import type { Overview } from '../../generated/management-v1.d.ts';
import { type Content, html } from '../html.ts';
import { noteServerTime } from '../live/connection.ts';
import { type Polled, usePolled } from '../live/polled.ts';

const everyMs = 2_000;
const OverviewContext = createContext<Polled<Overview> | undefined>(undefined);

/** Asks for the overview once for the whole page: it is also what tells that the service answers. */
export function OverviewProvider({ children }: { children?: Content }) {
  const polled = usePolled<Overview>('overview', everyMs);
  const { value } = polled;
  useEffect(() => {
    if (value !== undefined) noteServerTime(value.serverTimeMs);
  }, [value]);
  return html`<${OverviewContext.Provider} value=${polled}>${children}<//>`;
}

/** The latest overview. Only below an `OverviewProvider`. */
export function useOverview(): Polled<Overview> {
  const polled = useContext(OverviewContext);
  if (polled === undefined) throw new Error('useOverview stands outside OverviewProvider');
  return polled;
}
