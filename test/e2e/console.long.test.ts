import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { accountUsage } from '@inventory/contracts/http/account';
import type { watchRun } from '@inventory/contracts/http/watches';
import { permissions } from '@inventory/contracts/vocabulary';
import type { Browser, Download } from 'playwright-core';
import type { z } from 'zod';
import { startReceiver } from '../../services/event-stream/test/support/http-receiver.ts';
import { callOnce } from '../support/call-once.ts';
import { openBrowser } from '../support/open-browser.ts';
import { screenshotPath } from '../support/screenshots.ts';
import { type ConsolePage, openConsole, signIn } from './support/console-page.ts';
import { openFaultyLink } from './support/faulty-link.ts';
import { watchRefresh } from './support/follow-refresh.ts';
import type { Customer } from './support/operator.ts';
import { inventoryPath } from './support/public-api.ts';
import { scenarioScope, sizeScope } from './support/simulator-control.ts';
import { openTestStack, type TestStack } from './support/test-stack.ts';

let stack: TestStack;
let browser: Browser;
const opened: ConsolePage[] = [];

beforeAll(async () => {
  stack = await openTestStack();
  browser = await openBrowser();
});
afterEach(async () => {
  for (const { context } of opened.splice(0)) await context.close();
});
afterAll(async () => {
  await browser?.close();
  await stack?.close();
});

/** With a key that has every permission. */
async function newCustomer(credits = 10_000): Promise<Customer> {
  const { operator } = stack;
  const customer = await operator.newCustomer({ credits });
  await operator.switchEvents(customer.accountId, true);
  return {
    ...customer,
    ...(await operator.newCredential(customer.projectId, {
      name: 'Everything',
      scopes: permissions,
    })),
  };
}

async function open(options: Partial<Parameters<typeof openConsole>[1]>) {
  const one = await openConsole(browser, { url: stack.gatewayUrl, key: null, ...options });
  opened.push(one);
  return one;
}

/** What a page can leave behind, as the page itself sees it. */
const everythingKept = `(async () => JSON.stringify([
  Object.entries(localStorage), Object.entries(sessionStorage), await indexedDB.databases(),
  document.cookie, location.href, history.state,
]))()`;

async function textOf(download: Promise<Download>): Promise<string> {
  return readFileSync(await (await download).path(), 'utf8');
}

test('a newcomer gets from a pasted key to a verified inventory, with each price shown before its click (Console) [console]', async () => {
  const { secret, accountId } = await newCustomer();
  const scope = sizeScope(2_345, 901);
  const { page, enter, look, button, says, ...console } = await open({ key: secret });

  await says('Read saved inventories and changes');
  await enter('inventory');
  await look(scope);
  await says('Nothing is saved of this inventory yet');
  expect((await stack.operator.balance(accountId)).available).toBe(10_000);
  await button('Refresh · at most 125 credits').click();
  await says('125 credits are held');
  await says('Complete, changed.');
  await says('2 credits charged, 123 released');
  await button('Open the items · 2 credits').click();
  await says('Items (2,345)');
  await says(/their SHA-256 is that of the service/);

  const [word = ''] = ((await page.locator('.items .title').first().textContent()) ?? '').split(
    ' ',
  );
  await page.getByLabel('Filter').fill(word.toLowerCase());
  await page.getByText('2,345 shown').waitFor({ state: 'detached' });
  for (const title of await page.locator('.items .title').allTextContents()) {
    expect(title).toContain(word);
  }
  const ndjson = textOf(page.waitForEvent('download'));
  await button('Save NDJSON').click();
  const lines = (await ndjson).split(/(?<=\n)/);
  const { end } = JSON.parse(lines.pop() ?? '');
  expect([end.rows, end.sha256]).toEqual([
    2_345,
    createHash('sha256').update(lines.join('')).digest('hex'),
  ]);
  const csv = textOf(page.waitForEvent('download'));
  await button('Save CSV').click();
  const { text } = await callOnce(`${stack.gatewayUrl}${inventoryPath(scope)}/current/export`, {
    method: 'GET',
    headers: { 'X-API-Key': secret, Accept: 'text/csv' },
  });
  expect(await csv).toBe(text);

  // Of the key: nothing anywhere. Of other origins: nothing at all.
  expect(await page.evaluate<string>(everythingKept)).not.toContain(secret);
  const kept = await console.context.storageState({ indexedDB: true });
  expect(JSON.stringify(kept)).not.toContain(secret);
  expect(console.requested.join()).not.toContain(secret);
  const isOwn = (url: string) => url.startsWith(stack.gatewayUrl) || /^(data|blob):/.test(url);
  expect(console.requested.filter((url) => !isOwn(url))).toEqual([]);
  expect(console.complaints).toEqual([]);
  const logs = join(stack.folder, 'logs');
  for (const file of readdirSync(logs)) {
    expect([file, readFileSync(join(logs, file), 'utf8').includes(secret)]).toEqual([file, false]);
  }
});

test('a key is forgotten with the page, unless it is remembered in the tab (Console) [console]', async () => {
  const { secret } = await newCustomer();
  const { page, says } = await open({ key: secret });

  await page.reload();
  await says('Open the console');
  await page.getByLabel('Remember in this tab').check();
  await signIn(page, secret);
  await page.reload();
  await page.getByRole('button', { name: 'Forget the key' }).click();
  await says('Open the console');
  expect(await page.evaluate<string>(everythingKept)).not.toContain(secret);
  await page.getByLabel('API key').fill(`${secret}x`);
  await page.getByRole('button', { name: 'Open the console' }).click();
  await says('API key is not valid.');
  await says('invalid_api_key');
});

test.each([
  ['private', 'Private.', '1 credit charged, 124 released'],
  ['never-ends', 'Incomplete.', '0 credits charged, 125 released'],
])(
  'a refresh of %s shows its outcome and price (Console) [console]',
  async (name, title, price) => {
    const { secret } = await newCustomer();
    const { enter, look, button, says } = await open({ key: secret });

    await enter('inventory');
    await look(scenarioScope(name, 902));
    await button('Refresh · at most 125 credits').click();
    await says(title);
    await says(price);
  },
);

test('a refusal for funds has the words of the API, its code, its request id, and what to do (Console) [console]', async () => {
  const { secret } = await newCustomer(100);
  const { page, enter, look, button } = await open({ key: secret });

  await enter('inventory');
  await look(sizeScope(10, 903));
  await button('Refresh · at most 125 credits').click();
  const alert = page.getByRole('alert');
  await alert.waitFor();

  const text = await alert.textContent();
  expect(text).toContain('125 credits are required and 100 are available');
  expect(text).toContain('insufficient_credits');
  expect(text).toMatch(/req_[0-9a-f-]{36}/);
});

test('what changed since the revision before is marked (Console) [console]', async () => {
  const { secret } = await newCustomer();
  const scope = scenarioScope('one-more-each-scan', 904);
  const { page, enter, look, button, says } = await open({ key: secret });

  await enter('inventory');
  await look(scope);
  await button('Refresh · at most 125 credits').click();
  await says('Complete, changed.');
  await button(/^Open the items/).click();
  await says(/^Items \(/);
  await button(/^Refresh · about/).click();
  await says('A newer revision is saved');
  expect(await button(/^Mark what changed/).count()).toBe(0);
  await button(/^Open the items/).click();
  await button('Mark what changed · 1 credit a page').click();
  await says('1 added');

  expect(await page.locator('.items li').first().textContent()).toContain('added');
});

test('an event while the stream is cut arrives once it is back, and meanwhile the page shows what it knew (Console) [console]', async () => {
  const { secret, api } = await newCustomer();
  const gatewayPort = Number(new URL(stack.gatewayUrl).port);
  const link = await openFaultyLink({ targetPort: () => gatewayPort, slowMs: 0 });
  try {
    const { page, enter, says } = await open({ url: `http://127.0.0.1:${link.port}`, key: secret });
    await says('Events: live');
    await says('10,000');
    await link.set('refuses');
    await says('Events: reconnecting');
    await says('The service cannot be reached.');
    await says(/^What is shown is from/);
    await says('10,000');
    await watchRefresh(api, await api.accepted(scenarioScope('one-item', 905)));
    await link.set('open');
    await says('Events: live');
    await enter('activity');
    await page.locator('.events li').waitFor();

    expect(await page.locator('.events li').count()).toBe(1);
    expect(await page.locator('.events li').textContent()).toContain('Complete, changed');
  } finally {
    await link.close();
  }
});

test('of 20,000 items those in view are in the page, whatever is sorted, found and scrolled to (Console) [console]', async () => {
  const { secret } = await newCustomer();
  const { page, enter, look, button, says } = await open({ key: secret });

  await enter('inventory');
  await look(sizeScope(20_000, 906));
  await button('Refresh · at most 125 credits').click();
  await says('Complete, changed.');
  await button('Open the items · 10 credits').click();
  await says('Items (20,000)');
  await page.getByLabel('Sort').selectOption('name');
  await page.locator('.items').evaluate((frame) => frame.scrollTo(0, frame.scrollHeight));
  await page.locator('.items li[aria-posinset="20000"]').waitFor();
  expect(await page.locator('.items li').count()).toBeLessThan(150);

  await page.getByLabel('Filter').fill('no such item');
  await says('No item matches.');
});

test('a watch shows its cost before it is saved, and the statement is saved as the API has it (Console) [console]', async () => {
  const { secret, api, projectId } = await newCustomer();
  const { page, enter, button, says } = await open({ key: secret });
  const { platform_id } = sizeScope(10, 909);
  const watches = async () =>
    (await api.call({ path: `/v2/projects/${projectId}/watches` })).json.data.items;

  await enter('watches');
  await page.getByLabel('Platform id').last().fill(platform_id);
  await page.getByLabel('At most a day').fill('125');
  await button('Show the cost').click();
  await says(/and never more than [1-9][0-9,]* credits/);
  expect(await watches()).toEqual([]);
  await button('Watch it').click();
  await says('Active');
  expect(await watches()).toMatchObject([
    { scope: { platform_id }, every_seconds: 86_400, max_credits_per_day: 125 },
  ]);
  await button('Stop watching').click();
  await button('Stop and forget it').click();
  await says('No inventory is watched.');
  expect(await watches()).toEqual([]);

  await enter('usage');
  const csv = textOf(page.waitForEvent('download'));
  await button('Save CSV').last().click();
  const { text } = await api.call({
    path: '/v2/account/statement',
    headers: { accept: 'text/csv' },
  });
  expect(await csv).toBe(text);
});

test('secrets are shown once, and a test of a webhook arrives (Console) [console]', async () => {
  const { secret } = await newCustomer();
  const receiver = await startReceiver();
  try {
    const { page, enter, button, says } = await open({ key: secret });
    await enter('keys');
    await page.getByLabel('Name').fill('Reports');
    await button('Issue').click();
    const issued = await page.locator('.secret').textContent();
    expect(issued).toMatch(/^inv_/);
    await button('I have stored it').click();
    await page.getByLabel('Address').fill(`${receiver.url}/hook`);
    await button('Add').click();
    expect(await page.locator('.secret').textContent()).toMatch(/^whsec_/);
    await button('Send a test').click();
    await says('delivered');
    await button('Revoke').first().click();
    await button('Revoke for good').click();
    await says('revoked');

    expect(receiver.hooks.map(({ path }) => path)).toEqual(['/hook']);
    await enter('overview');
    await enter('keys');
    await says('Reports');
    expect(await page.content()).not.toContain(issued);
  } finally {
    await receiver.close();
  }
});

const rooms = ['overview', 'inventory', 'activity', 'watches', 'usage', 'keys'];
const dayMs = 86_400_000;
const isoDay = (daysAgo: number) =>
  new Date(Date.now() - daysAgo * dayMs).toISOString().slice(0, 10);

/** Two weeks of usage, and forty runs of a watch, which no test can wait for: their pictures. */
const usage: z.input<typeof accountUsage> = {
  from: isoDay(13),
  to: isoDay(0),
  items: Array.from({ length: 14 }, (_, day) => {
    const amount = (share: number) => Math.round(share * (60 + 40 * Math.sin(day * 0.9)));
    const row = (product: string, charged: number) => ({
      day: isoDay(13 - day),
      project_id: 'prj_01a226ed-ed95-7d89-ac25-42fd42898e57' as const,
      product_code: product as 'platform.inventory.refresh.v1',
      asset: 'credits' as const,
      count: charged,
      charged,
      reversed: 0,
    });
    return [
      row('platform.inventory.refresh.v1', amount(1)),
      row('platform.inventory.watch.v1', amount(0.6)),
      row('platform.inventory.current.page.v1', amount(0.4)),
    ];
  }).flat(),
};
const outcomes = ['complete_unchanged', 'complete_changed', 'complete_unchanged'] as const;
const runs = Array.from({ length: 40 }, (_, index): z.input<typeof watchRun> => {
  const serial = String(index).padStart(12, '0');
  return {
    refresh_id: `01a226ed-ed95-7d89-ac25-${serial}`,
    at: new Date(Date.now() - (index + 1) * 3_600_000).toISOString(),
    outcome: index === 11 ? 'upstream_unavailable' : (outcomes[index % 3] ?? null),
    credits_charged: index === 11 ? 0 : 1,
    units_charged: 0,
    event_id: `evt_01a226ed-ed95-5d89-ac25-${serial}`,
    deliveries: [],
  };
});

/** A console whose rooms all have something in them, the inventory opened. */
async function openFurnished(customer: Customer, options: Parameters<typeof open>[0]) {
  const console = await open({ key: customer.secret, ...options });
  const { page, enter, look, button, says } = console;
  await page.route('**/v2/account/usage?from=*', (route) =>
    route.fulfill({ json: { data: usage } }),
  );
  await page.route('**/runs?*', (route) =>
    route.fulfill({ json: { data: { items: runs, pagination: {} } } }),
  );
  await enter('inventory');
  await look(sizeScope(2_345, 907));
  await button(/^Open the items/).click();
  await says('Items (2,345)');
  // An event for the list, and a delivery to the endpoint.
  const { api } = customer;
  await watchRefresh(api, await api.accepted(sizeScope(12, 908)));
  return console;
}

/** With an inventory that is saved, a private one, a watch and an endpoint. */
async function newFurnishedCustomer(hooksUrl: string): Promise<Customer> {
  const customer = await newCustomer();
  const { api, projectId } = customer;
  const scope = sizeScope(2_345, 907);
  for (const one of [scope, scenarioScope('private', 907), scope]) {
    await watchRefresh(api, await api.accepted(one));
  }
  const body = { every_seconds: 3_600, max_credits_per_day: 500 };
  const path = `/v2/projects/${projectId}/watches/${Object.values(scope).join('/')}`;
  await api.call({ method: 'PUT', path, body });
  const endpoint = { url: `${hooksUrl}/inventory`, types: ['inventory.refresh.completed'] };
  const endpoints = `/v2/projects/${projectId}/webhook-endpoints`;
  await api.call({ method: 'POST', path: endpoints, body: endpoint });
  return customer;
}

const contentOf: Readonly<Record<string, string>> = {
  overview: '.abilities',
  inventory: '.items li',
  activity: 'table',
  watches: '.runs',
  usage: '.chart canvas',
  keys: '.cards',
};

test('every room is accessible in both colour schemes, and as wide as its window from 360 px to 4K (Console) [console]', async () => {
  const receiver = await startReceiver();
  const customer = await newFurnishedCustomer(receiver.url);
  const cases = [
    { colorScheme: 'light', viewport: { width: 1280, height: 800 }, suffix: '' },
    { colorScheme: 'dark', viewport: { width: 1280, height: 800 }, suffix: '-dark' },
    { colorScheme: 'light', viewport: { width: 360, height: 740 }, suffix: '-360' },
    { colorScheme: 'dark', viewport: { width: 3840, height: 2160 }, suffix: '-4k' },
  ] as const;
  const found: unknown[] = [];
  const empty = await open({});
  found.push(['sign-in', await empty.violations(), await empty.overflow()]);
  for (const { suffix, ...options } of cases) {
    const { page, enter, violations, overflow, complaints } = await openFurnished(
      customer,
      options,
    );
    for (const room of rooms) {
      await enter(room);
      await page.waitForSelector(contentOf[room] ?? '');
      found.push([room + suffix, await violations(), await overflow()]);
      await page.screenshot({ path: screenshotPath(`console-${room}${suffix}`, suffix === '') });
    }
    expect(complaints).toEqual([]);
  }

  await receiver.close();
  expect(found).toEqual([
    ['sign-in', [], 0],
    ...cases.flatMap(({ suffix }) => rooms.map((room) => [room + suffix, [], 0])),
  ]);
});

test('a keyboard reaches the rooms and opens one (Console) [console]', async () => {
  const { secret } = await newCustomer();
  const { page, says } = await open({});

  await page.getByLabel('API key').and(page.locator(':focus')).waitFor();
  await page.keyboard.type(secret);
  await page.keyboard.press('Enter');
  await says('Read saved inventories and changes');
  const focused = () => page.evaluate<string>('document.activeElement.textContent');
  for (let presses = 0; presses < 10 && (await focused()) !== 'Activity'; presses += 1) {
    await page.keyboard.press('Tab');
  }
  await page.keyboard.press('Enter');
  await says('No refresh yet.');
  expect(await focused()).toBe('Activity');
  expect(await page.evaluate('document.activeElement.tagName')).toBe('H1');
});
