import { join } from 'node:path';
import type { InventoryKey } from '@inventory/contracts/inventory-key';
import { startProgram } from '@inventory/testkit/typescript-program';
import { closeCalls } from '../../services/gateway/test/support/api-call.ts';
import type { Customer } from './support/operator.ts';
import { openTruthReader, type TruthReader } from './support/platform-truth.ts';
import { createSimulatorControl, scenarioScope, sizeScope } from './support/simulator-control.ts';
import { openTestStack, type TestStack } from './support/test-stack.ts';

/** Existing clients, unmodified; docs/customers/v1-clients.md describes how each is directed here. */
const clients = ['steam-inventory-api-ng', 'steamcommunity-inventory', 'steam-inventory-api'];
const program = join(__dirname, '../v1-clients/src/main.ts');
/** For each client accounts of its own. */
const serialOf = (client: string) => 500 + clients.indexOf(client);

let stack: TestStack;
let truth: TruthReader;

beforeAll(async () => {
  stack = await openTestStack();
  truth = await openTruthReader();
});
afterAll(async () => {
  await truth?.close();
  await stack?.close();
});
afterAll(closeCalls);

interface Walked {
  readonly asset_ids?: readonly string[];
  readonly failure?: { readonly status: number | null; readonly message: string };
}

interface Read extends Walked {
  readonly spent: number;
}

/** What the client shows of an inventory, and what that cost its customer. */
async function readWith(client: string, scope: InventoryKey, given?: Customer): Promise<Read> {
  const customer = given ?? (await stack.operator.newCustomer({ credits: 1_000 }));
  const before = await stack.operator.balance(customer.accountId);
  const { platform_id, app_id, context_id } = scope;
  const running = startProgram({
    file: program,
    args: [client, platform_id, String(app_id), String(context_id)],
    environment: { INVENTORY_URL: stack.gatewayUrl, INVENTORY_API_KEY: customer.secret },
  });
  const walked = JSON.parse(await running.line(/^\{"(asset_ids|failure)"/)) as Walked;
  await running.ended;
  const after = await stack.operator.balance(customer.accountId);
  return { ...walked, spent: before.total - after.total };
}

describe.each(clients)('%s', (client) => {
  test('walks an inventory of 4,001 assets: the ids of the platform, in its order, for three pages (V1 traversal) [v1-bodies-and-traversal]', async () => {
    const scope = sizeScope(4_001, serialOf(client));
    const { assets } = await truth.of(scope);

    const read = await readWith(client, scope);

    expect(read.asset_ids).toEqual(assets.map(({ assetid }) => assetid));
    expect(read.asset_ids).toHaveLength(4_001);
    expect(read.spent).toBe(3);
  });

  test('shows an empty inventory as one without items (V1: both arrays, empty) [v1-bodies-and-traversal]', async () => {
    const read = await readWith(client, scenarioScope('empty', serialOf(client)));

    expect(read).toEqual({ asset_ids: [], spent: 1 });
  });

  test.each([
    ['a private inventory', 'private', 403],
    ['an unknown account', 'not-found', 404],
  ])('sees %s by its status, never by an empty inventory', async (_name, scenario, status) => {
    const read = await readWith(client, scenarioScope(scenario, serialOf(client)));

    expect(read.asset_ids).toBeUndefined();
    expect(read.failure?.status).toBe(status);
    expect(read.spent).toBe(1);
  });

  test('sees that the platform throttles, and pays nothing for that', async () => {
    const scope = sizeScope(10, serialOf(client));
    const { platform_id } = scope;
    const control = createSimulatorControl(stack.simulatorUrl);
    await control.fail({ failure: { kind: 'throttled' }, platform_id });

    const read = await readWith(client, scope);

    expect(read.failure?.status).toBe(502);
    expect(read.spent).toBe(0);
  });

  test('is answered 429 above its own rate limit, and pays only for the pages it got', async () => {
    const customer = await stack.operator.newCustomer({ credits: 1_000, requestsPerMinute: 1 });

    const read = await readWith(client, sizeScope(4_001, 50 + serialOf(client)), customer);

    expect(read.failure?.status).toBe(429);
    // Two where a new minute begins between the first pages.
    expect([1, 2]).toContain(read.spent);
  });

  test('is answered 401 with an invalid key', async () => {
    const customer = await stack.operator.newCustomer();
    const stranger = { ...customer, secret: `${customer.secret.slice(0, -1)}_` };

    const read = await readWith(client, sizeScope(10, serialOf(client)), stranger);

    expect(read.failure?.status).toBe(401);
    expect(read.spent).toBe(0);
  });
});
