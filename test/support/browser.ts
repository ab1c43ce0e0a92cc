import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { after, type TestContext } from 'node:test';
import type { AxeResults } from 'axe-core';
import { type Browser, type BrowserContextOptions, chromium, type Page } from 'playwright-core';
import { findSystemProgram } from './system-program.ts';

const found = findSystemProgram({
  names: ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable'],
  variable: 'MDAPI_CHROMIUM',
  elsewhere: [
    '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
    '/Applications/Chromium.app/Contents/MacOS/Chromium',
  ],
  package: 'chromium',
  orElse: 'brew install --cask chromium',
});

/**
 * The options of every test that needs a browser: `test('...', browserTest, async (t) => ...)`. Without
 * a browser the test is skipped and says how to get one.
 */
export const browserTest = {
  timeout: 110_000,
  ...found.needs,
};

export const phone = { width: 390, height: 844 } as const;
export const desktop = { width: 1280, height: 800 } as const;

export interface BrowserOptions {
  readonly viewport?: { readonly width: number; readonly height: number };
  readonly colorScheme?: 'light' | 'dark';
  /** `false` to see what is left without scripts; `true` unless given. */
  readonly javaScript?: boolean;
  /** An IANA name; `Europe/Prague` unless given, so that local times differ from UTC. */
  readonly timeZone?: string;
  /** The browser's language; `en-GB` unless given. */
  readonly locale?: string;
  /** Permissions to give the page, such as `clipboard-write`. */
  readonly permissions?: readonly string[];
}

/** A page of a real browser, watched: the test fails at its end for whatever went wrong in it unannounced. */
export interface WatchedPage {
  readonly page: Page;
  /** Announces faults that belong to the test, such as the browser's own note on a 401. */
  expect(fault: RegExp): void;
  /** Closes the page and fails for every fault that was not announced. Happens by itself when the test ends. */
  close(): Promise<void>;
}

let shared: Promise<Browser> | undefined;
after(async () => (await shared)?.close());

/**
 * Opens a page with a profile of its own. Console errors (violations of the content security policy are
 * such), uncaught exceptions and requests to another origin than that of the first page fail the test.
 * Open the page before you start what it looks at: what is opened first is closed first.
 */
export async function openBrowser(t: Pick<TestContext, 'after'>, options: BrowserOptions = {}): Promise<WatchedPage> {
  shared ??= launch();
  const context = await (await shared).newContext(contextOptions(options));
  const page = await context.newPage();
  const faults: string[] = [];
  const expected: RegExp[] = [];
  watch(page, faults);
  let closed = false;
  const close = async () => {
    if (closed) return;
    closed = true;
    const found = faults.filter((fault) => !expected.some((pattern) => pattern.test(fault)));
    await context.close();
    assert.deepEqual(found, [], 'nothing went wrong in the browser');
  };
  t.after(close);
  return { page, expect: (fault) => expected.push(fault), close };
}

function contextOptions(options: BrowserOptions): BrowserContextOptions {
  const { viewport = desktop, colorScheme = 'light', javaScript = true, timeZone = 'Europe/Prague' } = options;
  return {
    viewport,
    colorScheme,
    javaScriptEnabled: javaScript,
    timezoneId: timeZone,
    locale: options.locale ?? 'en-GB',
    reducedMotion: 'reduce',
    permissions: [...(options.permissions ?? [])],
  };
}

function watch(page: Page, faults: string[]): void {
  let origin: string | undefined;
  page.on('console', (message) => {
    if (message.type() === 'error') faults.push(`console: ${message.text()} (${message.location().url})`);
  });
  page.on('pageerror', (error) => faults.push(`exception: ${error.message}`));
  page.on('request', (request) => {
    const url = new URL(request.url());
    if (url.protocol === 'data:' || url.protocol === 'blob:' || url.protocol === 'about:') return;
    origin ??= url.origin;
    if (url.origin !== origin) faults.push(`request to another origin: ${request.url()}`);
  });
}

/** Fails for every violation of WCAG 2.2, levels A and AA, and of what axe holds for good practice. */
export async function assertAccessible(page: Page, where: string = page.url()): Promise<void> {
  await page.evaluate(axeSource());
  const { violations } = (await page.evaluate(
    `axe.run(document, { runOnly: ${JSON.stringify(rules)}, resultTypes: ['violations'] })`,
  )) as AxeResults;
  const found = violations.flatMap(({ id, help, nodes }) =>
    nodes.map(({ html, failureSummary }) => `${id}: ${help}\n  ${html.slice(0, 200)}\n  ${failureSummary}`),
  );
  assert.deepEqual(found, [], where);
}

const rules = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'];

let axe: string | undefined;

function axeSource(): string {
  axe ??= readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
  return axe;
}

async function launch(): Promise<Browser> {
  return chromium.launch({
    executablePath: found.path!,
    headless: true,
    args: [
      '--headless',
      '--no-sandbox',
      '--disable-gpu',
      '--disable-quic',
      '--no-first-run',
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
    ],
  });
}
