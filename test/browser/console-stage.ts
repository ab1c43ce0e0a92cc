import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import type { Locator, Page } from 'playwright-core';
import { generateToken, tokenDigest } from '../../src/access/operator-token.ts';
import { systemRandomness } from '../../src/ground/clock.ts';
import type { Role } from '../../src/operator/role.ts';
import { type BrowserOptions, browserTest, openBrowser, type WatchedPage } from '../support/browser.ts';
import { eventually as eventuallyWithin } from '../support/eventually.ts';
import { ServiceHarness, type ServiceHarnessOptions } from '../support/service-harness.ts';

export interface ConsoleStageOptions {
  readonly browser?: BrowserOptions;
  readonly service?: ServiceHarnessOptions;
}

/** Long enough for whatever the page waits for itself, on a machine with much other work. */
const timeoutMs = 60_000;

/** What a page is looked at in. */
export const forms = [
  [{ width: 1280, height: 900 }, 'light'],
  [{ width: 1280, height: 900 }, 'dark'],
  [{ width: 390, height: 844 }, 'light'],
  [{ width: 390, height: 844 }, 'dark'],
] as const;

/** The options of every test of the console. */
export const consoleTest = { ...browserTest, timeout: 240_000 };

/** For a person who wants to look: `PICTURES=folder`. */
export async function keepPicture(page: Page, name: string): Promise<void> {
  const folder = process.env.PICTURES;
  if (folder === undefined) return;
  mkdirSync(folder, { recursive: true });
  await page.screenshot({ path: join(folder, `${name.replaceAll(' ', '-')}.png`), fullPage: true });
}

/** Waits as long for the service as for the page. */
export function eventually<T>(
  what: string,
  probe: () => T | undefined | false | Promise<T | undefined | false>,
): Promise<T> {
  return eventuallyWithin(what, probe, timeoutMs);
}

/** The whole service with a browser on its console, and an operator's token. */
export class ConsoleStage {
  readonly harness: ServiceHarness;
  readonly watched: WatchedPage;
  readonly page: Page;
  token = '';
  tokenId = '';

  private constructor(harness: ServiceHarness, watched: WatchedPage) {
    this.harness = harness;
    this.watched = watched;
    this.page = watched.page;
  }

  static async start(t: Pick<TestContext, 'after'>, options: ConsoleStageOptions = {}): Promise<ConsoleStage> {
    const watched = await openBrowser(t, options.browser);
    watched.page.setDefaultTimeout(timeoutMs);
    // The browser's own note on the question whether a session goes on, when none does, and on what was under way when
    // one ended.
    watched.expect(/status of 401 .*\/api\//);
    const simulator = { updatesPerSecond: 20, ...options.service?.simulator };
    const harness = await ServiceHarness.start(t, { ...options.service, simulator });
    const stage = new ConsoleStage(harness, watched);
    await stage.makeToken('olga');
    return stage;
  }

  /** Signed in, on the page at this address: `#/markets`. */
  static async signedIn(t: Pick<TestContext, 'after'>, hash: string, options: ConsoleStageOptions = {}) {
    const stage = await ConsoleStage.start(t, options);
    await stage.open(hash);
    await stage.signIn();
    return stage;
  }

  /** Makes an operator token, which is used from here on. */
  async makeToken(name: string, role: Role = 'admin'): Promise<void> {
    const token = generateToken('operator', systemRandomness);
    const { id } = await this.harness.withStore(({ tokens }) =>
      tokens.insert({ role, digest: tokenDigest(token), name }),
    );
    this.token = token;
    this.tokenId = id;
  }

  async open(hash = ''): Promise<void> {
    await this.page.goto(`${this.harness.service.adminUrl}/console/${hash}`);
  }

  /**
   * Of the page to sign in, and not the table of operator tokens, which may still stand there after a click on "Sign
   * out".
   */
  get tokenField(): Locator {
    return this.page.getByLabel('Operator token', { exact: true });
  }

  async signIn(token = this.token): Promise<void> {
    await this.tokenField.fill(token);
    await this.page.getByRole('button', { name: 'Sign in', exact: true }).click();
  }

  /** Goes to another page of the console, and waits until it stands there with this heading. */
  async goTo(hash: string, heading: string | RegExp): Promise<void> {
    await this.page.evaluate(`location.hash = ${JSON.stringify(hash)}`);
    await this.heading(heading).waitFor();
  }

  heading(name: string | RegExp): Locator {
    return this.page.getByRole('heading', { level: 1, name });
  }

  button(name: string | RegExp): Locator {
    return this.page.getByRole('button', { name, exact: true });
  }

  /** The button of an open dialog. */
  inDialog(name: string | RegExp): Locator {
    return this.page.getByRole('dialog').getByRole('button', { name });
  }

  keepPicture(name: string): Promise<void> {
    return keepPicture(this.page, name);
  }

  /** Waits until this text can be seen. */
  async sees(text: string | RegExp): Promise<void> {
    await this.page.getByText(text).first().waitFor();
  }
}
