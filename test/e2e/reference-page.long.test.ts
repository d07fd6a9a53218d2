import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { type ServiceStatus, serviceStatus } from '@inventory/contracts/http/status';
import type { Browser, Page } from 'playwright-core';
import { z } from 'zod';
import { openBrowser } from '../support/open-browser.ts';
import { openTestStack, type TestStack } from './support/test-stack.ts';

const screenshots = join(__dirname, '../../.local/screenshots');

let stack: TestStack;
let browser: Browser;

beforeAll(async () => {
  stack = await openTestStack();
  browser = await openBrowser();
});
afterAll(async () => {
  await browser?.close();
  await stack?.close();
});

/** What a page can leave behind, as the page itself sees it. */
const everythingKept = `(async () => JSON.stringify([
  Object.entries(localStorage), Object.entries(sessionStorage), await indexedDB.databases(),
  document.cookie, location.href, history.state,
]))()`;

/** The page, and everything it asked for, stored or complained of. */
async function openReference() {
  const context = await browser.newContext();
  const page = await context.newPage();
  const asked: string[] = [];
  const complaints: string[] = [];
  page.on('request', (request) => asked.push(request.url()));
  page.on('pageerror', (error) => complaints.push(error.message));
  page.on('console', (message) => {
    if (['error', 'warning'].includes(message.type())) complaints.push(message.text());
  });
  await page.goto(`${stack.gatewayUrl}/docs`);
  await page.waitForSelector('.opblock');
  return { context, page, asked, complaints };
}

async function authorize(page: Page, key: string): Promise<void> {
  await page.click('.auth-wrapper .authorize');
  await page.fill('.auth-container input', key);
  await page.click('.auth-btn-wrapper .authorize');
  await page.click('.btn-done');
}

/** Calls an operation from the page; its answer as the page shows it. */
async function tryOperation(page: Page, tag: string, operation: string): Promise<string> {
  const block = `#operations-${tag}-${operation}`;
  await page.click(`${block} .opblock-summary-control`);
  await page.click(`${block} .try-out__btn`);
  await page.click(`${block} .execute`);
  return (await page.textContent(`${block} .live-responses-table .response`)) ?? '';
}

test('the reference calls the local stack with a key that is kept nowhere (Authentication 1)', async () => {
  const { accountId, projectId } = await stack.operator.newCustomer({ credits: 4_321 });
  const { secret } = await stack.operator.newCredential(projectId);
  const { context, page, asked, complaints } = await openReference();

  await authorize(page, secret);
  const shown = await tryOperation(page, 'Account', 'readAccount');
  mkdirSync(screenshots, { recursive: true });
  await page.screenshot({ path: join(screenshots, 'reference.png'), fullPage: true });

  expect(shown).toContain('200');
  expect(shown).toContain(accountId);
  expect(shown).toContain('4321');
  const kept = await page.evaluate<string>(everythingKept);
  expect(kept).not.toContain(secret);
  expect(JSON.stringify(await context.storageState({ indexedDB: true }))).not.toContain(secret);
  expect(asked.join()).not.toContain(secret);
  // Nothing is fetched from elsewhere, and nothing was refused by the page's own policy.
  expect(asked.filter((url) => !url.startsWith(stack.gatewayUrl))).toEqual([]);
  expect(complaints).toEqual([]);

  await page.reload();
  await page.waitForSelector('.opblock');
  expect(await page.content()).not.toContain(secret);
  expect(await tryOperation(page, 'Account', 'readPrices')).toContain('missing_api_key');
  await context.close();
});

test('every operation and webhook is shown, and an address configures nothing', async () => {
  const { context, page } = await openReference();
  const response = await fetch(`${stack.gatewayUrl}/openapi.json`);
  const document = (await response.json()) as Record<'paths' | 'webhooks', Record<string, object>>;
  const operations = [document.paths, document.webhooks].flatMap((shown) =>
    Object.values(shown).flatMap((path) => Object.keys(path)),
  );

  expect(await page.locator('.opblock').count()).toBe(operations.length);
  const asked: string[] = [];
  page.on('request', (request) => asked.push(request.url()));
  await page.goto(
    `${stack.gatewayUrl}/docs?url=http://127.0.0.1:9/other.json&persistAuthorization=true`,
  );
  await page.waitForSelector('.opblock');
  expect(asked.filter((url) => url.endsWith('.json'))).toEqual([
    `${stack.gatewayUrl}/openapi.json`,
  ]);
  await context.close();
});

/** A day with a quiet night, an hour of trouble, and one quarter without a refresh: its picture. */
const aDay: ServiceStatus = {
  atMs: Date.UTC(2026, 0, 15, 10, 7),
  admission: { state: 'open', reason: null },
  expectedWaitSeconds: 14,
  circuitBreakers: [{ appId: 440, state: 'open', openUntilMs: Date.UTC(2026, 0, 15, 10, 9) }],
  quarterHours: Array.from({ length: 97 }, (_, at) => {
    const isTrouble = at > 60 && at < 66;
    const completed = Math.round(420 - 300 * Math.cos((at / 97) * 2 * Math.PI));
    return {
      start: Date.UTC(2026, 0, 14, 10) + at * 900_000,
      completed: at === 5 ? 0 : completed,
      failed: isTrouble ? 180 : at % 7,
      waitP50Seconds: at === 5 ? null : isTrouble ? 24 : 8,
      waitP95Seconds: at === 5 ? null : isTrouble ? 96 : 32,
    };
  }),
};

test('the status page draws the status from its own origin, without a key, and says when it cannot (Status) [status-page]', async () => {
  const context = await browser.newContext();
  const page = await context.newPage();
  const asked: string[] = [];
  const complaints: string[] = [];
  page.on('request', (request) => asked.push(request.url()));
  page.on('console', (message) => {
    if (['error', 'warning'].includes(message.type())) complaints.push(message.text());
  });
  const says = (text: string) => page.waitForSelector(`#state:has-text("${text}")`);
  await page.goto(`${stack.gatewayUrl}/status`);
  await says('Everything works.');
  expect(await page.textContent('#admission')).toBe('admitted');
  expect(await page.locator('#ends rect').count()).toBe(2 * 97);
  expect(
    asked.filter((url) => !url.startsWith('data:') && !url.startsWith(stack.gatewayUrl)),
  ).toEqual([]);
  expect(complaints).toEqual([]);

  await page.route('**/v2/status', (route) =>
    route.fulfill({ json: { data: z.encode(serviceStatus, aDay) } }),
  );
  await says('Some applications are not served.');
  mkdirSync(screenshots, { recursive: true });
  await page.screenshot({ path: join(screenshots, 'status.png'), fullPage: true });
  expect(await page.textContent('#breakers')).toContain('440 (open');
  expect(await page.locator('#waits rect.p95').count()).toBe(96);
  await page.unroute('**/v2/status');
  await page.route('**/v2/status', (route) => route.fulfill({ status: 503, body: '{}' }));
  await says('cannot be read at the moment');
  expect(await page.textContent('#admission')).toBe('unknown');
  await page.unroute('**/v2/status');
  await says('Everything works.');
  await context.close();
});
