import type { Configuration } from '../configuration/configuration.ts';
import { textOn } from '../ground/colour.ts';
import { type Fragment, html } from '../ground/html.ts';

/** Which environment this is: its name and the colour of its band, `#rrggbb`. */
export type Environment = NonNullable<Configuration['environment']>;

/** The first thing on every page of the private listener; nothing where no environment is named. */
export function environmentBand(environment: Environment | undefined): Fragment {
  return environment && html`<aside class="environment">${environment.title}</aside>`;
}

/** `[Test] Runbook` */
export function pageTitle(title: string, environment: Environment | undefined): string {
  return environment === undefined ? title : `[${environment.title}] ${title}`;
}

/** A style sheet, as the policy of the pages lets no style stand in them. Empty where no environment is named. */
export function environmentStyle(environment: Environment | undefined): string {
  if (environment === undefined) return '';
  const { colour } = environment;
  return `:root {
  --band: 1.75rem;
  --environment: ${colour};
  --on-environment: ${textOn(colour)};
}
`;
}
