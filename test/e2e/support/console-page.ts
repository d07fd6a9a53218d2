import { readFileSync } from 'node:fs';
import type { InventoryKey } from '@inventory/contracts/inventory-key';
import type { Browser, BrowserContext, Page } from 'playwright-core';

/** The console in a browser, and everything it requested and complained of. */
export interface ConsolePage {
  readonly context: BrowserContext;
  readonly page: Page;
  readonly requested: readonly string[];
  readonly complaints: readonly string[];
  /** Names of rooms are those of the address. */
  enter(room: string): Promise<void>;
  /** Looks at an inventory, for free. */
  look(scope: InventoryKey): Promise<void>;
  button(name: string | RegExp): ReturnType<Page['locator']>;
  says(text: string | RegExp): Promise<void>;
  /** What axe-core finds wrong, by rule and place. */
  violations(): Promise<string[]>;
  /** By how many pixels the page is wider than its window. */
  overflow(): Promise<number>;
}

interface Options {
  readonly url: string;
  /** Null: the page waits for a key. */
  readonly key: string | null;
  readonly colorScheme?: 'light' | 'dark';
  readonly viewport?: { readonly width: number; readonly height: number };
}

/** A slow machine takes its time. */
const patienceMs = 120_000;
const axe = readFileSync(require.resolve('axe-core/axe.min.js'), 'utf8');
const runAxe = `axe.run(document, { resultTypes: ['violations'] }).then(({ violations }) =>
  violations.flatMap(({ id, nodes }) => nodes.map(({ target, failureSummary }) =>
    [id, target, failureSummary].join(' '))))`;

export async function openConsole(browser: Browser, options: Options): Promise<ConsolePage> {
  const { url, key, colorScheme = 'light', viewport = { width: 1280, height: 800 } } = options;
  const context = await browser.newContext({ locale: 'en-US', colorScheme, viewport });
  context.setDefaultTimeout(patienceMs);
  const page = await context.newPage();
  const requested: string[] = [];
  const complaints: string[] = [];
  page.on('request', (request) => requested.push(request.url()));
  page.on('pageerror', (error) => complaints.push(error.message));
  page.on('console', (message) => {
    // That a look found nothing, or a refresh is refused, is a response as any other.
    const isResponse = message.text().startsWith('Failed to load resource');
    if (['error', 'warning'].includes(message.type()) && !isResponse) {
      complaints.push(message.text());
    }
  });
  await page.goto(`${url}/console`);
  if (key !== null) await signIn(page, key);
  return {
    context,
    page,
    requested,
    complaints,
    async enter(room) {
      await page.click(`nav a[href="#/${room}"]`);
      await page.waitForSelector(`nav a[href="#/${room}"][aria-current="page"]`);
    },
    async look(scope) {
      await page.getByLabel('Platform id').first().fill(scope.platform_id);
      await page.getByLabel('Application').first().fill(String(scope.app_id));
      await page.getByLabel('Context').first().fill(String(scope.context_id));
      await page.getByRole('button', { name: 'Look, for free' }).click();
    },
    button: (name) => page.getByRole('button', { name }),
    async says(text) {
      await page.getByText(text).first().waitFor();
    },
    async violations() {
      await page.evaluate(axe);
      return page.evaluate<string[]>(runAxe);
    },
    overflow: () =>
      page.evaluate<number>(
        'document.documentElement.scrollWidth - document.documentElement.clientWidth',
      ),
  };
}

export async function signIn(page: Page, key: string): Promise<void> {
  await page.getByLabel('API key').fill(key);
  await page.getByRole('button', { name: 'Open the console' }).click();
  await page.waitForSelector('nav a[aria-current="page"]');
}
