import { html } from '../ground/html.ts';
import type { Language } from '../ground/languages.ts';
import { problem } from '../http/answer.ts';
import { queryValues } from '../http/request-target.ts';
import type { Resource } from '../http/resource.ts';
import { browserOnly, type Content, heading, paragraph } from './blocks.ts';
import { translate } from './language.ts';
import type { PortalPage } from './layout.ts';
import { formPage, type InLanguages } from './resources.ts';
import { link, type Site } from './site.ts';
import texts from './subscribe.json' with { type: 'json' };
import { filled } from './template.ts';

export const subscribeRoute = '/status/subscribe';
const { fields, confirm, unsubscribe } = texts;

type Kind = keyof typeof fields;

/** Keeps who is told of incidents and maintenance. */
export interface SubscriptionDesk {
  readonly kinds: readonly Kind[];
  /** Resolves with `malformed`, with the seconds to wait, or with `undefined`. @param client whom the request is counted on */
  ask(kind: Kind, target: string, language: Language, client: string): Promise<'malformed' | number | undefined>;
  /** Resolves with whether the token is good, as `end` does. */
  confirm(token: string): Promise<boolean>;
  end(token: string): Promise<boolean>;
}

/** The pages on which visitors subscribe, confirm it and unsubscribe. They need no script. */
export function subscriptionPages(sites: InLanguages<Site>, desk: SubscriptionDesk): readonly Resource[] {
  const asking = (more: Content) => pageOf(subscribeRoute, texts.ask, [more, desk.kinds.map(kindForm)]);
  const subscribe = formPage(
    sites,
    subscribeRoute,
    () => asking(''),
    async (site, _, form, client) => {
      const kind = desk.kinds.find((each) => each === form.get('kind'));
      const asked = kind && (await desk.ask(kind, form.get('target') ?? '', site.language, client));
      if (kind === undefined || asked === 'malformed') return { ...asking(fault), status: 400 };
      return asked === undefined
        ? pageOf('/status', texts.asked[kind])
        : problem('RATE_LIMIT_EXCEEDED', texts.tooMany, asked);
    },
  );
  return [
    ...subscribe,
    ...buttonPage(sites, confirm, (token) => desk.confirm(token)),
    ...buttonPage(sites, unsubscribe, (token) => desk.end(token)),
  ];
}

const fault = browserOnly((site) => html`<p role="alert" data-web="fault">${translate(site, texts.malformed)}</p>\n`);

function kindForm(kind: Kind): Content {
  const { heading: title, label, ...values } = fields[kind];
  return [heading(2, title), form('subscribe', subscribeRoute, label, { kind, ...values })];
}

function form(template: 'subscribe' | 'follow-link', route: string, words: string, values: Record<string, string>) {
  return browserOnly((site) =>
    filled(site, template, { ...values, words: translate(site, words), action: link(site, route) }),
  );
}

/** A page with a button, so that programs that follow links do nothing. Programs that end a subscription send its form without asking for it. */
function buttonPage(
  sites: InLanguages<Site>,
  page: typeof confirm | typeof unsubscribe,
  act: (token: string) => Promise<boolean>,
): readonly Resource[] {
  const { route, button, done, failed } = page;
  const tokenIn = (query: string) => queryValues(query, 'token')[0] ?? '';
  return formPage(
    sites,
    route,
    (_, { query }) => pageOf(route, page, form('follow-link', route, button, { token: tokenIn(query) })),
    async (_, { query }, sent) => {
      const isGood = await act(sent.get('token') ?? tokenIn(query));
      return isGood ? pageOf('/status', done) : { ...pageOf('/status', failed), status: 400 };
    },
  );
}

function pageOf(
  route: string,
  { title, text }: Readonly<Record<'title' | 'text', string>>,
  more: Content = '[Status](/status)',
): PortalPage {
  const body = [heading(1, title), paragraph('lead', text), more];
  return { route, title, description: title, hasForm: true, kind: 'status', body };
}
