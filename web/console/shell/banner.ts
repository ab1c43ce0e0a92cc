import { nowMs } from '../clock.ts';
import { localText, spanText } from '../format/time.ts';
import { html } from '../html.ts';
import { connection } from '../live/connection.ts';
import { useTicking } from '../live/ticking.ts';
import { useStore } from '../store.ts';
import { useOverview } from './overview-data.ts';

/** Says that the service does not answer and since when: what is shown below is from before. */
export function LostBanner() {
  const { lostSinceMs } = useStore(connection);
  const { refresh } = useOverview();
  return html`<div class="lost-banner" role="alert">
    ${
      lostSinceMs !== undefined &&
      html`<p>
        <strong>No answer from the service since ${localText(lostSinceMs, 'second')}.</strong>${' '}
        Everything below is from then: <${Since} atMs=${lostSinceMs} /> old. Trying again by itself.
        <button type="button" onClick=${refresh}>Try now</button>
      </p>`
    }
  </div>`;
}

/** Grows every second, unannounced: the alert is read out once. */
function Since({ atMs }: { atMs: number }) {
  useTicking();
  return html`<span aria-live="off">${spanText(nowMs() - atMs)}</span>`;
}
