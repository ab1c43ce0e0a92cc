import type { Delivery } from '../../notices/delivery.ts';
import type { Command, CommandInput } from '../command.ts';
import type { Context } from '../context.ts';
import { exitCodes } from '../exit-codes.ts';
import { CommandError, UsageError } from '../failure.ts';
import { configurationFor } from '../with-store.ts';
import { placeOf } from './describe.ts';

const patienceMs = 60_000;

export const noticesSendTest: Command = {
  name: 'notices send-test',
  summary: 'send an example notice, to try the mail server',
  details: [
    'Makes one attempt and says how it ended. Nothing is written to the database, and it counts for no key.',
    'Accepted by the mail server does not mean delivered: look whether it arrives.',
  ],
  options: [{ name: 'to', value: 'ADDRESS', required: true, summary: 'who gets it' }],
  examples: [
    { line: 'mdapi notices send-test --to you@example.com', note: 'after mail.smtp or mail.from were changed' },
  ],
  async run(input, context) {
    const { to, messageId, delivery } = await send(input, context);
    if (delivery.kind === 'accepted') {
      return {
        json: { accepted: true, to, messageId },
        text: `The mail server took the message to ${to}. Message-ID: ${messageId}`,
      };
    }
    const reason = delivery.kind === 'withdrawn' ? 'broken off' : delivery.reason;
    throw new CommandError(exitCodes.failure, 'mail_not_sent', `The message was not sent: ${reason}`);
  },
};

async function send(
  input: CommandInput,
  context: Context,
): Promise<{ to: string; messageId: string; delivery: Delivery }> {
  const { configuration } = await configurationFor(input, context);
  const { mail, limits } = configuration;
  if (mail === undefined) {
    throw new CommandError(
      exitCodes.failure,
      'mail_not_configured',
      'No mail server is configured. Set mail.smtp and mail.from.',
    );
  }
  const { composeMessage, domainOf, mailableAddress } = await import('../../notices/message.ts');
  const to = mailableAddress(input.required('to'));
  if (to === undefined)
    throw new UsageError('--to: not an address that mail can be sent to, such as name@example.com.');
  const { breachMail } = await import('../../notices/notice-mail.ts');
  const { sampleFigures } = await import('../../notices/sample.ts');
  const { deliver } = await import('../../notices/delivery.ts');
  const now = context.clock.now();
  const example = breachMail(sampleFigures(now, limits.key), placeOf(configuration));
  const messageId = `<test-${Buffer.from(context.randomness.bytes(12)).toString('hex')}@${domainOf(mail.from.address)}>`;
  const message = await composeMessage(
    { ...example, subject: `Test: ${example.subject}` },
    { from: mail.from, to, messageId, date: now },
  );
  const abort = new AbortController();
  const patience = context.clock.after(patienceMs, () => abort.abort());
  const delivery = await deliver({
    server: mail.smtp,
    envelope: { from: mail.from.address, to },
    message,
    mayEnd: async () => true,
    signal: abort.signal,
  });
  patience.cancel();
  return { to, messageId, delivery };
}
