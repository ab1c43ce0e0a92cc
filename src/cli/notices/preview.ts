import type { Configuration } from '../../configuration/configuration.ts';
import type { NoticeMail } from '../../notices/notice-mail.ts';
import type { NoticeFigures } from '../../store/notices.ts';
import type { Command, CommandInput } from '../command.ts';
import type { Context } from '../context.ts';
import { harmless } from '../style.ts';
import { configurationFor, withStore } from '../with-store.ts';
import { placeOf } from './describe.ts';

export const noticesPreview: Command = {
  name: 'notices preview',
  summary: 'show a notice as its reader gets it',
  details: ['Sends nothing. Without --notice it shows an example with figures of nobody’s key.'],
  options: [
    { name: 'notice', value: 'ID', summary: 'this notice, ntc_…' },
    { name: 'html', summary: 'the HTML form, instead of the plain text' },
  ],
  examples: [
    { line: 'mdapi notices preview', note: 'what key holders would read' },
    { line: 'mdapi notices preview --html', note: 'for a file to look at in a browser' },
  ],
  async run(input, context) {
    const { breachMail } = await import('../../notices/notice-mail.ts');
    const { figures, to, configuration } = await chosen(input, context);
    const mail = breachMail(figures, placeOf(configuration));
    const from = senderOf(configuration);
    return {
      json: { ...(from === undefined ? {} : { from }), ...(to === undefined ? {} : { to }), ...mail },
      text: input.isSet('html') ? mail.html.trimEnd() : textOf(mail, from, to),
    };
  },
};

/** What is to be shown, and to whom it goes. */
async function chosen(input: CommandInput, context: Context): Promise<Chosen> {
  const id = input.option('notice');
  if (id !== undefined) {
    return withStore(input, context, async (store, configuration) => {
      const { figures, accountEmail } = await store.notices.get(id);
      return { figures, to: accountEmail, configuration };
    });
  }
  const { sampleFigures } = await import('../../notices/sample.ts');
  const { configuration } = await configurationFor(input, context);
  const figures = sampleFigures(context.clock.now(), configuration.limits.key);
  return { figures, to: 'client@example.com', configuration };
}

interface Chosen {
  readonly figures: NoticeFigures;
  /** `undefined` when the account is gone. */
  readonly to: string | undefined;
  readonly configuration: Configuration;
}

function senderOf({ mail }: Configuration): string | undefined {
  if (mail === undefined) return undefined;
  return mail.from.name === '' ? mail.from.address : `${mail.from.name} <${mail.from.address}>`;
}

function textOf({ subject, text }: NoticeMail, from: string | undefined, to: string | undefined): string {
  const head = [
    `From: ${from ?? '(mail.from is not configured)'}`,
    `To: ${to ?? '(the account is gone)'}`,
    `Subject: ${subject}`,
  ];
  return `${head.map(harmless).join('\n')}\n\n${text.split('\n').map(harmless).join('\n').trimEnd()}`;
}
