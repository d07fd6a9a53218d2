import { type Environment, environments } from '@inventory/contracts/environment';
import type { InventoryKey } from '@inventory/contracts/inventory-key';
import { waitFor } from '@inventory/testkit/wait-for';
import fc from 'fast-check';
import { watchRefresh } from './support/follow-refresh.ts';
import { readLiveChain } from './support/live-chain.ts';
import type { Customer } from './support/operator.ts';
import { readProjectLog } from './support/project-log.ts';
import { inventoryPath } from './support/public-api.ts';
import { openSharedStack } from './support/shared-stack.ts';
import { inEnvironment, scenarioScope, sizeScope } from './support/simulator-control.ts';
import { openReader } from './support/stream-reader.ts';
import { withoutIdentity } from './support/without-identity.ts';

const stack = openSharedStack();
afterAll(() => stack.close());

interface Step {
  readonly environment: Environment;
  readonly does: 'refresh' | 'capture' | 'private' | 'not-found';
  readonly assets: number;
}

const steps = fc.array(
  fc.record<Step>({
    environment: fc.constantFrom(...environments),
    does: fc.constantFrom('refresh', 'refresh', 'capture', 'private', 'not-found'),
    assets: fc.constantFrom(1, 3, 2_001),
  }),
  { minLength: 4, maxLength: 10 },
);

/** Of these tests; each plan has its own, the same in both environments. */
let serial = 890_000;

async function takeStep(
  { api }: Customer,
  { environment, does, assets }: Step,
  ofStep: number,
): Promise<unknown> {
  const isSized = does === 'refresh' || does === 'capture';
  const live = isSized ? sizeScope(assets, ofStep) : scenarioScope(does, ofStep);
  const scope = inEnvironment(environment, live);
  if (does === 'capture') return await capture(api, scope);
  const seen = await watchRefresh(api, await api.accepted(scope));
  const current = await api.current(scope, '?page_size=1');
  return [seen.at(-1)?.json.data, current.status, current.json.data?.total_count];
}

async function capture(api: Customer['api'], scope: InventoryKey): Promise<unknown> {
  const pages = await readLiveChain([api], scope);
  const { data } = await waitFor('the chain is saved', async () => {
    const summary = await api.call({ path: `${inventoryPath(scope)}/summary` });
    return summary.status === 200 && summary.json;
  });
  const { observed_by, total_count } = data;
  return [pages.map(({ page }) => page.assets.length), observed_by, total_count];
}

/** All steps at the same time, begun in their order; what each environment then has. */
async function play(plan: readonly Step[]): Promise<Record<Environment, unknown>> {
  serial += 100;
  const first = serial;
  const sides = await Promise.all(
    environments.map(async (environment) => ({ environment, ...(await openSide(environment)) })),
  );
  const taken = plan.map((step, index) => {
    const side = sides.find(({ environment }) => environment === step.environment);
    if (!side) throw new Error('each environment has a customer');
    const own = plan.slice(0, index).filter((one) => one.environment === step.environment);
    return takeStep(side.customer, step, first + own.length);
  });
  const ended = await Promise.all(taken);
  const results = await Promise.all(
    sides.map(async ({ environment, customer, reader }) => {
      const own = ended.filter((_, index) => plan[index]?.environment === environment);
      const refreshes = plan.filter((one) => one.environment === environment);
      const announced = refreshes.filter(({ does }) => does !== 'capture').length;
      const left = await leftOf(customer, reader, announced);
      return [environment, plain([own, left])] as const;
    }),
  );
  return Object.fromEntries(results) as Record<Environment, unknown>;
}

async function openSide(environment: Environment) {
  const customer = await stack.operator.newCustomer({ environment });
  await stack.operator.switchEvents(customer.accountId, true);
  const scopes = ['*', 'customer.events.read.v1', 'customer.account.read.v1'];
  const credential = await stack.operator.newCredential(customer.projectId, { scopes });
  const [gatewayUrl = ''] = stack.gatewayUrls;
  const { projectId } = customer;
  const reader = await openReader({ gatewayUrl, projectId, apiKey: credential.secret });
  await reader.frame('checkpoint');
  return { customer: { ...customer, ...credential }, reader };
}

/** Books, usage, log and stream, in no order: steps end as they do. */
async function leftOf(
  { accountId, projectId, api }: Customer,
  reader: Awaited<ReturnType<typeof openReader>>,
  announced: number,
): Promise<unknown> {
  const log = await waitFor('every event is in the log', async () => {
    const events = await readProjectLog(stack, projectId);
    return events.length >= announced && { events };
  });
  if (announced > 0) await reader.events(announced);
  reader.cut();
  const rows = await stack.operator.statement(accountId);
  const usage = await api.call({ path: '/v2/account/usage' });
  return {
    balance: await stack.operator.balance(accountId),
    holds: await stack.operator.openHolds(accountId),
    books: unordered(rows.map((row) => [row.kind, row.productCode, row.changeAvailable])),
    usage: unordered(usage.json.data.items),
    log: unordered(log.events.map(({ outcome }) => outcome)),
    stream: unordered(reader.frames.slice(1).map(({ data }) => JSON.parse(data).data.outcome)),
  };
}

const unordered = (items: readonly unknown[]) =>
  items.map((item) => JSON.stringify(withoutIdentity(item))).toSorted();
const plain = (value: unknown) =>
  JSON.parse(JSON.stringify(withoutIdentity(value)).replaceAll(/76[12]\d{14}/g, 'platform'));

const only = (plan: readonly Step[], environment: Environment) =>
  plan.filter((step) => step.environment === environment);

test('live and sandbox beside each other, in any order of their steps, leave what each leaves alone: records, Current, captures, books, usage, log and stream (Sandbox) [sandbox]', async () => {
  await fc.assert(
    fc.asyncProperty(steps, async (plan) => {
      const [beside, live, sandbox] = await Promise.all([
        play(plan),
        play(only(plan, 'live')),
        play(only(plan, 'sandbox')),
      ]);

      expect(beside).toEqual({ live: live.live, sandbox: sandbox.sandbox });
    }),
    { numRuns: 2 },
  );
});

test('they would not if a step of one was taken by the other', async () => {
  const step = { does: 'refresh', assets: 3 } as const;
  const [own, foreign] = await Promise.all(
    environments.map((environment) => play([{ environment, ...step }])),
  );

  expect(own?.live).not.toEqual(foreign?.live);
  expect(own?.sandbox).not.toEqual(foreign?.sandbox);
});
