import type { InventoryKey } from '@inventory/contracts/inventory-key';
import type { RefreshOutcome } from '@inventory/contracts/vocabulary';
import {
  expectedOutcomes,
  spreadApp,
} from '../../../services/refresh-collector/test/expected-outcomes.ts';
import { untilCompleted } from './follow-refresh.ts';
import type { Customer } from './operator.ts';
import type { TruthReader } from './platform-truth.ts';
import { expectTruth, readAllPages } from './read-current.ts';
import { createSimulatorControl, scenarioScope } from './simulator-control.ts';
import type { StoryStack } from './test-stack.ts';

interface Settlement {
  readonly disposition: string;
  readonly charged: number;
}

/** "Settlement by outcome"; 4,001 assets are three started blocks of 2,000. */
export const settlements: Readonly<Record<RefreshOutcome, Settlement>> = {
  complete_changed: { disposition: 'finalize_complete', charged: 3 },
  complete_unchanged: { disposition: 'finalize_complete', charged: 3 },
  private: { disposition: 'finalize_diagnostic', charged: 1 },
  not_found: { disposition: 'finalize_diagnostic', charged: 1 },
  upstream_unavailable: { disposition: 'release', charged: 0 },
  incomplete: { disposition: 'release', charged: 0 },
  cancelled: { disposition: 'release', charged: 0 },
  internal_failure: { disposition: 'release', charged: 0 },
};

export interface OutcomePlan {
  /** Asked for once tests run. */
  readonly stack: () => StoryStack;
  readonly truth: () => TruthReader;
  /** Of scenario accounts that no other story uses. */
  readonly serial: number;
  readonly outcomes: typeof expectedOutcomes;
}

/** Refreshes scenario accounts of the platform, all at once, and holds each to its outcome. */
export function testOutcomeScenarios({ stack, truth, serial, outcomes }: OutcomePlan): void {
  function scopeOf(scenario: string): InventoryKey {
    const scope = scenarioScope(scenario, serial);
    const index = expectedOutcomes.findIndex(([name]) => name === scenario);
    return { ...scope, app_id: spreadApp(index, scope.app_id) };
  }

  let customer: Customer;
  const refreshIds: string[] = [];
  const scopes = outcomes.map(([scenario]) => scopeOf(scenario));

  beforeAll(async () => {
    customer = await stack().operator.newCustomer();
    const ids = await Promise.all(scopes.map((scope) => customer.api.accepted(scope)));
    refreshIds.push(...ids);
    await untilCompleted(customer.api, customer.projectId, ids);
  });

  const cases = outcomes.map(([scenario, outcome], index) => ({
    scenario,
    outcome,
    index,
  }));
  const scopeAt = (index: number) => scopes[index] ?? scenarioScope('empty');
  const recordAt = (index: number) => customer.api.record(refreshIds[index] ?? '');

  test.each(cases.filter(({ outcome }) => outcome === 'complete_changed'))(
    '$scenario is paid by its assets, and Current is exactly what the platform holds',
    async ({ index }) => {
      const record = await recordAt(index);
      const expected = await truth().of(scopeAt(index));
      const pages = await readAllPages(customer.api, scopeAt(index));

      expect(record.outcome).toBe('complete_changed');
      expect(record.billing.credits_charged).toBe(Math.ceil(expected.assets.length / 2_000));
      expectTruth(pages, expected);
      expect(pages[0]?.page.revision_id).toBe(record.revision_id);
    },
  );

  test.each(cases.filter(({ outcome }) => outcome !== 'complete_changed'))(
    '$scenario ends as $outcome, settled so, and saves nothing that Current could read',
    async ({ outcome, index }) => {
      const { charged, disposition } = settlements[outcome];
      const record = await recordAt(index);
      const current = await customer.api.current(scopeAt(index));

      expect(record.outcome).toBe(outcome);
      expect(record.billing).toMatchObject({ credits_charged: charged, disposition });
      expect([current.status, current.json.error.code]).toEqual([
        404,
        'inventory_revision_not_found',
      ]);
      expect(current.json.meta).toMatchObject({
        credits_charged: 0,
        billing_disposition: 'not_charged',
        billing_reason: 'no_revision',
      });
    },
  );

  test('the simulator counts as many assets as Current gives', async () => {
    for (const scenario of ['empty', 'size-2001', 'some-hidden', 'all-hidden', 'stacks']) {
      const scope = scenarioScope(scenario, serial);
      const held = await createSimulatorControl(stack().simulatorUrl).call(
        'GET',
        `/inventories/${scope.platform_id}/${scope.app_id}/${scope.context_id}`,
      );
      const pages = await readAllPages(customer.api, scope, { pageSize: 1_500 });
      expectTruth(pages, await truth().of(scope), 1_500);
      expect(pages[0]?.page).toMatchObject({
        total_count: held.assets,
        reported_total_count: held.total_inventory_count,
      });
    }
  });

  test('what all of them cost is what the account paid (conservation)', async () => {
    const { accountId, projectId } = customer;
    const rows = await stack().operator.statement(accountId);
    const balance = await stack().operator.balance(accountId);
    const change = rows.reduce((sum, row) => sum + row.changeAvailable + row.changeHeld, 0);

    expect(rows.filter(({ kind }) => kind === 'reserve')).toHaveLength(refreshIds.length);
    expect(rows.filter(({ kind }) => /^(settle|release)$/.test(kind))).toHaveLength(
      refreshIds.length,
    );
    expect(balance).toEqual({ total: change, held: 0, available: change });
    expect(await stack().operator.openHolds(accountId)).toEqual([]);
    const listed = await customer.api.list(projectId, '?limit=100');
    expect(listed.json.data.items).toHaveLength(refreshIds.length);
    expect(await stack().operator.verify()).toMatchObject({ ok: true, problems: [] });
  });
}
