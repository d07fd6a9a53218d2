import { v1AliasFailure, v1OriginalFailure } from '@inventory/contracts/http/v1';
import type { InventoryKey } from '@inventory/contracts/inventory-key';
import type { ApiResponse } from '../../../services/gateway/test/support/api-call.ts';
import { type LiveEnd, scopeOfEnd } from './live-ends.ts';
import type { ScenarioPlan } from './live-scenarios.ts';
import type { Customer } from './operator.ts';
import { expectLiveTruth, type V1Dialect, walkV1 } from './read-live.ts';
import { scenarioScope, sizeScope } from './simulator-control.ts';

export const dialects = ['original', 'alias'] as const;

/** The texts of the original route by status, where the platform is met. */
const texts: Readonly<Record<number, string>> = {
  403: 'Inventory is private',
  404: 'Inventory not found',
  502: 'Upstream unavailable',
};

export function expectSigned(response: ApiResponse): void {
  expect(response.headers['deprecation']).toMatch(/^@[0-9]+$/);
  expect(response.headers['link']).toContain('rel="successor-version"');
  expect(response.headers['x-request-id']).toMatch(/^req_/);
}

/** Whatever the platform answers, a dialect only words it: every end in one of them, each status in both. */
function endsIn(dialect: V1Dialect, ends: readonly LiveEnd[]): readonly LiveEnd[] {
  const turn = dialects.indexOf(dialect);
  return ends.filter((end) => {
    const alike = ends.filter(({ status }) => status === end.status);
    return alike.length === 1 || alike.indexOf(end) % dialects.length === turn;
  });
}

/** Reads scenario accounts of the platform in one dialect of V1, to their ends. */
export function testV1Scenarios(dialect: V1Dialect, plan: ScenarioPlan): void {
  const { stack, truth, endless } = plan;
  const serial = plan.serial + dialects.indexOf(dialect);
  const ends = endsIn(dialect, plan.ends);
  let customer: Customer;
  let another: Customer;
  let billed = 0;
  let healthyReads = 0;

  beforeAll(async () => {
    customer = await stack().operator.newCustomer({ credits: 1_000 });
    another = await stack().operator.newCustomer();
  });

  /** A row of failures alone would open the breaker of the application, on either collector. */
  async function readHealthy({ app_id }: InventoryKey): Promise<void> {
    healthyReads += 1;
    const healthy = { ...sizeScope(2, serial * 100 + healthyReads), app_id };
    for (const _collector of stack().gatewayUrls) await walkV1(another.api, dialect, healthy);
  }

  function expectBill(response: ApiResponse, remaining: number): void {
    expect(response.headers['x-credits-charged']).toBe('1');
    expect(response.headers['x-credits-remaining']).toBe(String(remaining));
    const apiCredits = response.headers['x-api-credits-remaining'];
    expect(apiCredits).toBe(dialect === 'original' ? String(remaining) : undefined);
  }

  test.each(ends.filter(({ status }) => status === 200))(
    '$scenario: the pages are what the platform holds, one credit each (V1 rule 4)',
    async (end) => {
      const scope = scopeOfEnd(end, serial);
      await readHealthy(scope);

      const walk = await walkV1(customer.api, dialect, scope);

      expect(walk.end.status).toBe(200);
      billed += walk.pages.length;
      expectLiveTruth(walk, await truth().asWalked(scope), 'v1');
      expectBill(walk.end, 1_000 - billed);
      expectSigned(walk.end);
    },
  );

  test.each(ends.filter(({ status }) => status !== 200))(
    '$scenario ends with $status in its own dialect (V1 rule 5)',
    async (end) => {
      const scope = scopeOfEnd(end, serial);
      if (end.scenario !== 'unknown-app') await readHealthy(scope);

      const walk = await walkV1(customer.api, dialect, scope);

      expect([walk.pages.length, walk.end.status]).toEqual([end.pages, end.status]);
      expectSigned(walk.end);
      if (dialect === 'original') {
        expect(v1OriginalFailure.strict().parse(walk.end.json).detail).toBe(texts[end.status]);
      } else {
        expect(v1AliasFailure.strict().parse(walk.end.json).error.code).toBe(end.code);
      }
      const confirmed = end.status < 500;
      billed += walk.pages.length + (confirmed ? 1 : 0);
      if (confirmed) expectBill(walk.end, 1_000 - billed);
      else expect(walk.end.headers['x-credits-charged']).toBeUndefined();
      expect(walk.end.headers['retry-after'] === undefined).toBe(confirmed);
    },
  );

  test.each(endless)('%s gives page after page: only its reader can stop', async (name) => {
    const scope = scenarioScope(name, serial);

    const walk = await walkV1(customer.api, dialect, scope, { pagesMax: 4 });

    expect([walk.pages.length, walk.end.status]).toEqual([4, 200]);
    billed += 4;
  });

  test('all of it is charged exactly', async () => {
    const { available } = await stack().operator.balance(customer.accountId);

    expect(available).toBe(1_000 - billed);
  });
}
