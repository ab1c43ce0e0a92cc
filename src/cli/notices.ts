import { type Configuration, publicUrls } from '../configuration/configuration.ts';
import { isoInstant } from '../contract/instant.ts';
import type { NoticeMail, NoticePlace } from '../notices/notice-mail.ts';
import { type NoticeView, noticePlace, noticeStatuses, noticeView } from '../operator/notice.ts';
import { type CommonValues, type Context, command } from './command.ts';
import { CommandError, exitCodes, UsageError } from './failure.ts';
import { configurationFor, storeCommand, withStore } from './store-command.ts';
import { harmless, listing, type Shown } from './style.ts';
import { parseCount } from './values.ts';

const list = storeCommand({
  name: 'notices list',
  summary: 'list the e-mail notices to key holders, latest first',
  details: [
    'A notice is made when the limit refused a key in several minutes (`notices.breachedMinutes`, `notices.within`).',
    'States: pending (to be sent), sending, sent (accepted by the mail server), failed (refused for good, or given up after four days), recorded (no mail server was configured), unconfirmed (no answer came: it may have been sent, and is not sent again).',
  ],
  options: {
    status: {
      value: 'STATUS',
      values: noticeStatuses,
      summary: 'only notices in this state',
    },
    key: { value: 'ID', summary: 'only notices about this key' },
    limit: { value: 'COUNT', summary: 'at most this many, 1 to 10000 (default: 100)' },
  },
  examples: {
    'mdapi notices list --status failed --json': 'what the mail server refused',
  },
  read: ({ options }) => parseCount(options.limit ?? '100', 10_000, '--limit'),
  async work({ options, values: limit, store, context, paint }) {
    const { status, key: keyId } = options;
    const notices = (await store.notices.list({ status, keyId, limit })).map(noticeView);
    const now = context.clock.now();
    const columns: Shown<NoticeView> = {
      ID: 'id',
      STATE: 'status',
      CREATED: 'createdAt',
      KEY: ({ lastFour }) => `…${lastFour}`,
      REFUSED: ({ requestsRefused, breachedMinutes }) => `${requestsRefused} in ${breachedMinutes} min`,
      ACCOUNT: 'accountEmail',
      NOTE: (notice) => noteOf(notice, now),
    };
    return { json: { notices }, text: listing(notices, columns, paint, 'No notices.') };
  },
});

/** Why it was not sent, and when it is tried next. */
function noteOf({ attempts, lastError, nextAttemptAtMs }: NoticeView, now: number): string {
  const why = lastError ?? '';
  if (nextAttemptAtMs === null || attempts === 0) return why;
  const next = nextAttemptAtMs <= now ? 'next attempt now' : `next attempt ${isoInstant(nextAttemptAtMs)}`;
  return why === '' ? next : `${why}; ${next}`;
}

const preview = command({
  name: 'notices preview',
  summary: 'show a notice as its reader gets it',
  details: ['Sends nothing. Without --notice it shows an example.'],
  options: {
    notice: { value: 'ID', summary: 'this notice, ntc_…' },
    html: { summary: 'the HTML form, instead of the plain text' },
  },
  examples: {
    'mdapi notices preview --html': 'for a file to open in a browser',
  },
  async run({ options }, context) {
    const { breachMail } = await import('../notices/notice-mail.ts');
    const { figures, to, language, configuration } =
      options.notice === undefined
        ? await exampleFor(options, context)
        : await recorded(options.notice, options, context);
    const mail = breachMail(figures, placeOf(configuration), language);
    const from = senderOf(configuration);
    return {
      json: { from: from ?? null, to: to ?? null, ...mail },
      text: options.html ? mail.html.trimEnd() : mailText(mail, from, to),
    };
  },
});

/** The figures and the recipient of a notice; no recipient when the account is gone. */
function recorded(id: string, options: CommonValues, context: Context) {
  return withStore(options, context, async (store, configuration) => {
    const { figures, accountEmail: to, language } = await store.notices.get(id);
    return { figures, to, language, configuration };
  });
}

async function exampleFor(options: CommonValues, context: Context) {
  const { sampleFigures } = await import('../notices/notice-mail.ts');
  const { configuration } = await configurationFor(options, context);
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

const sendTest = command({
  name: 'notices send-test',
  summary: 'send an example notice, to try the mail server',
  details: [
    'Makes one attempt, shows the result and records nothing. An accepted mail is not delivered yet: check that it arrives.',
  ],
  options: {
    to: { value: 'ADDRESS', required: true, summary: 'the recipient' },
  },
  examples: {
    'mdapi notices send-test --to you@example.com': 'after a change of mail.smtp or mail.from',
  },
  async run({ options }, context) {
    const { configuration } = await configurationFor(options, context);
    const { mail, limits } = configuration;
    if (mail === undefined) {
      const message = 'No mail server is configured. Set mail.smtp and mail.from.';
      throw new CommandError(exitCodes.failure, 'mail_not_configured', message);
    }
    const { domainOf, mailableAddress } = await import('../notices/message.ts');
    const to = mailableAddress(options.to);
    if (to === undefined) {
      throw new UsageError('--to: not an address that mail can be sent to, such as name@example.com.');
    }
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
  },
});

export const commands = [list, preview, sendTest];
