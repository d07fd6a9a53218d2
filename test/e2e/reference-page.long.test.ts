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

/** Quarter hours of its picture: without a refresh, without a measurement, and of trouble. */
const [quiet, unmeasured, trouble] = [
  [8, 12],
  [20, 34],
  [61, 66],
] as const;
const isIn = ([from, to]: readonly [number, number], at: number) => from <= at && at < to;

const aDay: ServiceStatus = {
  atMs: Date.UTC(2026, 0, 15, 10, 7),
  admission: { state: 'open', reason: null },
  expectedWaitSeconds: 14,
  circuitBreakers: [{ appId: 440, state: 'open', openUntilMs: Date.UTC(2026, 0, 15, 10, 9) }],
  quarterHours: Array.from({ length: 97 }, (_, at) => {
    const hasNone = isIn(quiet, at) || isIn(unmeasured, at);
    const [isTrouble, usual] = [isIn(trouble, at), 420 - 300 * Math.cos((at / 97) * 2 * Math.PI)];
    return {
      start: Date.UTC(2026, 0, 14, 10) + at * 900_000,
      measured: !isIn(unmeasured, at),
      completed: hasNone ? 0 : Math.round(isTrouble ? usual - 250 : usual),
      failed: hasNone ? 0 : isTrouble ? 380 : at % 7,
      waitP50Seconds: hasNone ? null : isTrouble ? 24 : 8,
      waitP95Seconds: hasNone ? null : isTrouble ? 96 : 32,
    };
  }),
};

async function openStatus() {
  const context = await browser.newContext({
    timezoneId: 'UTC',
    viewport: { width: 1100, height: 700 },
  });
  const page = await context.newPage();
  const requested: string[] = [];
  const complaints: string[] = [];
  page.on('request', (request) => requested.push(request.url()));
  page.on('console', (message) => {
    if (['error', 'warning'].includes(message.type())) complaints.push(message.text());
  });
  const says = (text: string) => page.waitForSelector(`#state:has-text("${text}")`);
  const count = (bars: string) => page.locator(bars).count();
  const shows = (json: object, status = 200) =>
    page.route('**/v2/status', (route) => route.fulfill({ json, status }));
  await page.goto(`${stack.gatewayUrl}/status`);
  await says('Everything works.');
  return { context, page, requested, complaints, says, count, shows };
}

test('the status page draws the status from its own origin, without a key, distinguishes a quarter hour without a refresh from one that was not measured, and shows when it cannot read (Status) [status-page]', async () => {
  const { context, page, requested, complaints, says, count, shows } = await openStatus();
  expect(await page.textContent('#admission')).toBe('admitted');
  // The stack has just begun: most of its day was not measured, and the rest is without a refresh.
  expect([await count('#ends .unmeasured'), await count('#ends .completed')]).toEqual([1, 0]);
  expect(await count('#ends .none')).toBeGreaterThan(0);
  expect(
    requested.filter((url) => !url.startsWith('data:') && !url.startsWith(stack.gatewayUrl)),
  ).toEqual([]);
  expect(complaints).toEqual([]);

  await shows({ data: z.encode(serviceStatus, aDay) });
  await says('Some applications are not served.');
  mkdirSync(screenshots, { recursive: true });
  await page.screenshot({ path: join(screenshots, 'status.png'), fullPage: true });
  expect(await page.textContent('#breakers')).toBe('440 (tried again at 10:09)');
  for (const [chart, bars] of [
    ['#ends', '.completed'],
    ['#waits', '.p95'],
  ]) {
    expect([
      await count(`${chart} rect${bars}`),
      await count(`${chart} .none`),
      await count(`${chart} .unmeasured`),
    ]).toEqual([97 - 4 - 14, 4, 1]);
  }

  await shows({}, 503);
  await says('cannot be read at the moment');
  expect(await page.textContent('#state')).toContain('The charts are as of 10:07.');
  expect(await page.textContent('#admission')).toBe('unknown');
  await page.unroute('**/v2/status');
  await says('Everything works.');
  await context.close();
});

test('the status page has the value of each quarter hour for a pointer, for keys and for a screen reader, in the time of the browser, and fits 360 pixels (Status) [status-page]', async () => {
  const { context, page, says, shows } = await openStatus();
  await shows({ data: z.encode(serviceStatus, aDay) });
  await says('Some applications are not served.');
  const hours = await page.locator('#ends text[text-anchor=middle]').allTextContents();
  expect(hours).toEqual(expect.arrayContaining(['12:00', 'Thu 15', '09:00']));

  const { x, y, width } = (await page.locator('#ends svg').boundingBox()) ?? {
    x: 0,
    y: 0,
    width: 0,
  };
  await page.mouse.move(x + width - 15, y + 80);
  expect(await page.textContent('#ends-value')).toBe(
    'Thu 15, 10:00 to 10:15 (so far): 121 completed, 5 failed',
  );
  await page.mouse.move(0, 0);
  await page.focus('#waits');
  const read = [];
  for (const key of ['Home', ...Array(5).fill('PageUp'), 'End']) {
    await page.keyboard.press(key);
    read.push(await page.getAttribute('#waits', 'aria-valuetext'));
  }
  expect(read[0]).toBe('Wed 14, 10:00 to 10:15: half within 8 s, 95 of 100 within 32 s');
  expect(read[2]).toBe('Wed 14, 12:00 to 12:15: no refresh completed');
  expect(read[5]).toBe('Wed 14, 15:00 to 15:15: not measured');
  expect(await page.textContent('#waits-value')).toBe(read.at(-1));

  await page.setViewportSize({ width: 360, height: 700 });
  expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(360);
  await context.close();
});
