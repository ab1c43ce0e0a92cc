import { type Configuration, publicUrls } from '../configuration/configuration.ts';
import { isoInstant } from '../contract/instant.ts';
import type { NoticeMail, NoticePlace } from '../notices/notice-mail.ts';
import { type NoticeView, noticePlace, noticeView } from '../operator/notice.ts';
import type { NoticeStatus } from '../store/notices.ts';
import { type Command, type CommandInput, type Context, command } from './command.ts';
import { CommandError, exitCodes, UsageError } from './failure.ts';
import { configurationFor, storeCommand, withStore } from './store-command.ts';
import { harmless, listing, type Shown } from './style.ts';
import { parseCount } from './values.ts';

const list = storeCommand('notices list', {
  read: (input) => ({
    status: input.option('status') as NoticeStatus | undefined,
    keyId: input.option('key'),
    limit: parseCount(input.option('limit') ?? '100', 10_000, '--limit'),
  }),
  async work({ values, store, context, paint }) {
    const notices = (await store.notices.list(values)).map(noticeView);
    const now = context.clock.now();
    const shown: Shown<NoticeView> = {
      ID: 'id',
      STATE: 'status',
      CREATED: 'createdAt',
      KEY: ({ lastFour }) => `…${lastFour}`,
      REFUSED: ({ requestsRefused, breachedMinutes }) => `${requestsRefused} in ${breachedMinutes} min`,
      ACCOUNT: 'accountEmail',
      NOTE: (notice) => noteOf(notice, now),
    };
    return { json: { notices }, text: listing(notices, shown, paint, 'No notices.') };
  },
});

/** Why it was not sent, and when it is tried next. */
function noteOf({ attempts, lastError, nextAttemptAtMs }: NoticeView, now: number): string {
  const why = lastError ?? '';
  if (nextAttemptAtMs === null || attempts === 0) return why;
  const next = nextAttemptAtMs <= now ? 'next attempt now' : `next attempt ${isoInstant(nextAttemptAtMs)}`;
  return why === '' ? next : `${why}; ${next}`;
}

const preview = command('notices preview', async (input, context) => {
  const { breachMail } = await import('../notices/notice-mail.ts');
  const { figures, to, language, configuration } = await previewed(input, context);
  const mail = breachMail(figures, placeOf(configuration), language);
  const from = senderOf(configuration);
  return {
    json: { from: from ?? null, to: to ?? null, ...mail },
    text: input.isSet('html') ? mail.html.trimEnd() : mailText(mail, from, to),
  };
});

/** The figures and the recipient of a notice, or of an example; the recipient `undefined` when the account is gone. */
async function previewed(input: CommandInput, context: Context) {
  const id = input.option('notice');
  if (id !== undefined) {
    return withStore(input, context, async (store, configuration) => {
      const { figures, accountEmail: to, language } = await store.notices.get(id);
      return { figures, to, language, configuration };
    });
  }
  const { sampleFigures } = await import('../notices/notice-mail.ts');
  const { configuration } = await configurationFor(input, context);
  const figures = sampleFigures(context.clock.now(), configuration.limits.key);
  return { figures, to: 'client@example.com', language: undefined, configuration };
}

/** The mail's words about the service. Without `server.baseUrl` the port is the configured one. */
function placeOf(configuration: Configuration): NoticePlace {
  const { server } = configuration;
  return noticePlace(configuration, publicUrls(server, server.port).baseUrl);
}

function senderOf({ mail }: Configuration): string | undefined {
  if (mail === undefined) return undefined;
  return mail.from.name === '' ? mail.from.address : `${mail.from.name} <${mail.from.address}>`;
}

function mailText({ subject, text }: NoticeMail, from: string | undefined, to: string | undefined): string {
  const head = [
    `From: ${from ?? '(mail.from is not configured)'}`,
    `To: ${to ?? '(the account is gone)'}`,
    `Subject: ${subject}`,
  ];
  return `${head.map(harmless).join('\n')}\n\n${text.split('\n').map(harmless).join('\n').trimEnd()}`;
}

const sendTest = command('notices send-test', async (input, context) => {
  const { configuration } = await configurationFor(input, context);
  const { mail, limits } = configuration;
  if (mail === undefined) {
    const message = 'No mail server is configured. Set mail.smtp and mail.from.';
    throw new CommandError(exitCodes.failure, 'mail_not_configured', message);
  }
  const { domainOf, mailableAddress } = await import('../notices/message.ts');
  const to = mailableAddress(input.required('to'));
  if (to === undefined)
    throw new UsageError('--to: not an address that mail can be sent to, such as name@example.com.');
  const { breachMail, sampleFigures } = await import('../notices/notice-mail.ts');
  const { sendMail } = await import('../notices/send-mail.ts');
  const now = context.clock.now();
  const example = breachMail(sampleFigures(now, limits.key), placeOf(configuration));
  const unique = Buffer.from(context.randomness.bytes(12)).toString('hex');
  const messageId = `<test-${unique}@${domainOf(mail.from.address)}>`;
  const body = { ...example, subject: `Test: ${example.subject}` };
  const sender = { clock: context.clock, mail };
  const delivery = await sendMail(sender, body, { to, messageId }, new AbortController().signal);
  if (delivery.kind !== 'accepted') {
    throw new CommandError(exitCodes.failure, 'mail_not_sent', `The message was not sent: ${delivery.reason}`);
  }
  return {
    json: { accepted: true, to, messageId },
    text: `The mail server accepted the message to ${to}. Message-ID: ${messageId}`,
  };
});

export const noticeCommands: readonly Command[] = [list, preview, sendTest];
