import { errorBody } from '@inventory/contracts/http/error-body';
import type { LiveEnd } from './live-ends.ts';
import { scopeOfEnd } from './live-ends.ts';
import type { Customer } from './operator.ts';
import type { TruthReader } from './platform-truth.ts';
import { expectLiveTruth, walkLive } from './read-live.ts';
import { scenarioScope } from './simulator-control.ts';
import type { StoryStack } from './test-stack.ts';

export interface ScenarioPlan {
  /** Asked for once tests run. */
  readonly stack: () => StoryStack;
  readonly truth: () => TruthReader;
  /** Of scenario accounts that no other story uses. */
  readonly serial: number;
  readonly ends: readonly LiveEnd[];
  /** Scenarios that only their reader can stop. */
  readonly endless: readonly string[];
}

/** Reads scenario accounts of the platform page by page, to their ends. */
export function testLiveScenarios({ stack, truth, serial, ends, endless }: ScenarioPlan): void {
  let customer: Customer;
  let billed = 0;

  beforeAll(async () => {
    customer = await stack().operator.newCustomer({ credits: 1_000 });
  });

  test.each(ends.filter(({ status }) => status === 200))(
    '$scenario: the pages are what the platform holds, one credit each (Live Page)',
    async (end) => {
      const scope = scopeOfEnd(end, serial);

      const walk = await walkLive(customer.api, scope, {
        doors: stack().gatewayUrls.map((url) => customer.api.at(url)),
      });

      expect(walk.end.status).toBe(200);
      billed += walk.pages.length;
      expectLiveTruth(walk, await truth().asWalked(scope), 'v2');
    },
  );

  test.each(ends.filter(({ status }) => status !== 200))(
    '$scenario ends with $status $code, paid only where it is confirmed (Errors)',
    async (end) => {
      const walk = await walkLive(customer.api, scopeOfEnd(end, serial));

      const { error, meta } = errorBody.parse(walk.end.json);
      expect([walk.pages.length, walk.end.status, error.code]).toEqual([
        end.pages,
        end.status,
        end.code,
      ]);
      expect(error.detail?.['reason']).toBe(end.reason);
      const confirmed = end.status < 500;
      expect(meta.creditsCharged).toBe(confirmed ? 1 : 0);
      expect(meta.billingDisposition).toBe(confirmed ? 'charged' : 'not_charged');
      expect(walk.end.headers['retry-after'] === undefined).toBe(confirmed);
      billed += walk.pages.length + (confirmed ? 1 : 0);
    },
  );

  test.each(endless)('%s gives page after page: only its reader can stop', async (name) => {
    const walk = await walkLive(customer.api, scenarioScope(name, serial), { pagesMax: 5 });

    expect([walk.pages.length, walk.end.status]).toEqual([5, 200]);
    billed += 5;
  });

  test('all of it is charged exactly, and the books verify (Live Page price)', async () => {
    expect(await stack().operator.balance(customer.accountId)).toEqual({
      total: 1_000 - billed,
      held: 0,
      available: 1_000 - billed,
    });
    expect(await stack().operator.verify()).toMatchObject({ ok: true, problems: [] });
  });
}
