import Type, { type Static } from 'typebox';
import type { EpochMs } from '../../clock.ts';
import { lastInstantMs } from '../../contract/instant.ts';
import { windowDescription } from '../../operator/window.ts';
import type { NewWindow } from '../../store/windows.ts';
import { strictObject } from './parts.ts';

const instantMs = (text: string) =>
  Type.Integer({
    description: `${text}, in milliseconds since the Unix epoch.`,
    minimum: 0,
    maximum: lastInstantMs,
    examples: [1_795_255_200_000],
  });

/** What a window is announced, or tried, with. */
export const NewWindowSchema = strictObject(
  { fromMs: instantMs('Its start'), toMs: instantMs('Its end'), description: windowDescription },
  'The new window.',
);

export const ExtensionSchema = strictObject({ toMs: instantMs('Its new end, later than before') }, 'How far.');

export function newWindowOf({ fromMs, toMs, description }: Static<typeof NewWindowSchema>): NewWindow {
  return { from: fromMs as EpochMs, to: toMs as EpochMs, description: description.trim() };
}
