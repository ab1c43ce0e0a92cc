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
import { fromTemplate } from './template.ts';

export const subscribeRoute = '/status/subscribe';
export const subscribeLink = '[Subscribe to status updates](/status/subscribe)';

type Kind = 'mail' | 'webhook';

/** The beginning of a page: its title and a paragraph. */
interface Said {
  readonly title: string;
  readonly text: string;
}

const offer: Said = {
  title: 'Status updates',
  text: 'Get a message when an incident begins, changes or ends, and when maintenance is announced, begins or ends. Nothing else is sent, and each message has an unsubscribe link.',
};
const asked: Readonly<Record<Kind, Said>> = {
  mail: {
    title: 'Check your mail',
    text: 'If this address can be subscribed, a message with a link is on its way to it. Open the link within 24 hours and press the button there.',
  },
  webhook: {
    title: 'Check your webhook',
    text: 'If this webhook can be subscribed, a `subscription.confirm` message is on its way to it. Open its `confirmUrl` within 24 hours and press the button there. Its `secret` signs all messages (Standard Webhooks).',
  },
};

interface Field {
  readonly heading: string;
  readonly label: string;
  readonly type: string;
  readonly autocomplete: string;
}

const fields: Readonly<Record<Kind, Field>> = {
  mail: { heading: 'By e-mail', label: 'E-mail address', type: 'email', autocomplete: 'email' },
  webhook: { heading: 'By webhook', label: 'URL, https:// only', type: 'url', autocomplete: 'off' },
};

/** A page with a button, and what follows. */
interface ButtonPage extends Said {
  readonly route: string;
  readonly button: string;
  readonly done: Said;
  readonly failed: Said;
}

const confirmPage: ButtonPage = {
  route: '/status/confirm',
  title: 'Confirm your subscription',
  text: 'Status updates will be sent to the address that received this link.',
  button: 'Confirm',
  done: {
    title: 'You are subscribed',
    text: 'You get status updates from now on. Each message has an unsubscribe link.',
  },
  failed: {
    title: 'This link is no longer valid',
    text: 'It is older than 24 hours, or you have unsubscribed. [Subscribe again](/status/subscribe).',
  },
};
const unsubscribePage: ButtonPage = {
  route: '/status/unsubscribe',
  title: 'Unsubscribe',
  text: 'No more status updates will be sent to the address that received this link, and it will be deleted.',
  button: 'Unsubscribe',
  done: {
    title: 'You are unsubscribed',
    text: 'No more status updates are sent, and the address is deleted.',
  },
  failed: {
    title: 'This link is no longer valid',
    text: 'You have unsubscribed already, or the link is more than a year old. The latest message has one that works.',
  },
};

/** Keeps who is told of incidents and maintenance. */
export interface SubscriptionDesk {
  readonly kinds: readonly Kind[];
  /**
   * Resolves with `malformed`, with the seconds to wait, or with `undefined`.
   *
   * @param client whom the request is counted on
   */
  ask(kind: Kind, target: string, language: Language, client: string): Promise<'malformed' | number | undefined>;
  /** Resolves with whether the token is good, as `end` does. */
  confirm(token: string): Promise<boolean>;
  end(token: string): Promise<boolean>;
}

/** The pages on which visitors subscribe, confirm it and unsubscribe. They need no script. */
export function subscriptionPages(sites: InLanguages<Site>, desk: SubscriptionDesk): readonly Resource[] {
  const asking = (more: Content) => pageOf(subscribeRoute, offer, [more, desk.kinds.map(kindForm)]);
  const subscribe = formPage(
    sites,
    subscribeRoute,
    () => asking(''),
    async (site, _, form, client) => {
      const kind = desk.kinds.find((each) => each === form.get('kind'));
      if (kind === undefined) return { ...asking(fault), status: 400 };
      const refusal = await desk.ask(kind, form.get('target') ?? '', site.language, client);
      if (refusal === undefined) return pageOf('/status', asked[kind]);
      if (refusal === 'malformed') return { ...asking(fault), status: 400 };
      return problem('RATE_LIMIT_EXCEEDED', 'Subscriptions: the limit of requests per hour is used up.', refusal);
    },
  );
  return [
    ...subscribe,
    ...buttonPage(sites, confirmPage, (token) => desk.confirm(token)),
    ...buttonPage(sites, unsubscribePage, (token) => desk.end(token)),
  ];
}

const fault = browserOnly(
  (site) => html`<p role="alert" data-web="fault">${translate(site, 'Messages cannot be sent to this address.')}</p>\n`,
);

function kindForm(kind: Kind): Content {
  const { heading: title, label, ...values } = fields[kind];
  return [heading(2, title), form('subscribe', subscribeRoute, label, { kind, ...values })];
}

function form(template: 'subscribe' | 'follow-link', route: string, words: string, values: Record<string, string>) {
  return browserOnly((site) =>
    fromTemplate(site, template, { ...values, words: translate(site, words), action: link(site, route) }),
  );
}

/**
 * A page with a button, so that programs that follow links do nothing. Programs that end a subscription send its form
 * without asking for it.
 */
function buttonPage(
  sites: InLanguages<Site>,
  page: ButtonPage,
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

function pageOf(route: string, { title, text }: Said, more: Content = '[Status](/status)'): PortalPage {
  const body = [heading(1, title), paragraph('lead', text), more];
  return { route, title, description: title, hasForm: true, kind: 'status', body };
}
