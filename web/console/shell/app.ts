import { useEffect } from 'preact/hooks';
import { resumeSession } from '../api/sign-in.ts';
import { every } from '../clock.ts';
import { classes, html } from '../html.ts';
import { connection } from '../live/connection.ts';
import { Toasts } from '../parts/toasts.ts';
import { route } from '../router.ts';
import { session } from '../session.ts';
import { useStore } from '../store.ts';
import { LostBanner } from './banner.ts';
import { Navigation } from './navigation.ts';
import { OverviewProvider } from './overview-data.ts';
import { pageFor } from './pages.ts';
import { ShortcutsDialog, useShortcuts } from './shortcuts.ts';
import { SignIn } from './sign-in.ts';
import { StatusStrip } from './status-strip.ts';

const resumeEveryMs = 3_000;

/** The console: the sign-in page, or the frame with the page the address names. */
export function App() {
  const { state } = useStore(session);
  if (state === 'asking') return html`<${Asking} />`;
  return html`<div class="app">
    ${state === 'in' ? html`<${Frame} />` : html`<${SignIn} />`}
    <${Toasts} />
  </div>`;
}

/** Before it is known whether a session goes on. Asks again for as long as nobody answers. */
function Asking() {
  const { lostSinceMs } = useStore(connection);
  useEffect(() => every(resumeEveryMs, () => void resumeSession()), []);
  const text = lostSinceMs === undefined ? 'Connecting …' : 'The service does not answer. Trying again …';
  return html`<main class="asking"><p role="status">${text}</p></main>`;
}

function Frame() {
  const { segments, query } = useStore(route);
  const isLost = useStore(connection).lostSinceMs !== undefined;
  const { isHelpOpen, setHelpOpen } = useShortcuts();
  const skip = (event: Event) => {
    event.preventDefault();
    document.querySelector<HTMLElement>('main')?.focus();
  };
  return html`<${OverviewProvider}>
    <div class=${classes('frame', isLost && 'lost')}>
      <a class="skip" href="#main" onClick=${skip}>Skip to the content</a>
      <header class="top">
        <${Navigation} current=${segments[0] ?? ''} onHelp=${() => setHelpOpen(true)} />
      </header>
      <div class="body">
        <${LostBanner} />
        <${StatusStrip} />
        <main id="main" tabindex="-1" key=${segments.join('/')}>${pageFor(segments, query)}</main>
      </div>
      ${isHelpOpen && html`<${ShortcutsDialog} onClose=${() => setHelpOpen(false)} />`}
    </div>
  <//>`;
}
