import { waitFor } from '@inventory/testkit/wait-for';
import type { Customer } from './operator.ts';
import { readProjectLog } from './project-log.ts';
import type { RefreshRecord } from './public-api.ts';
import type { StoryStack } from './test-stack.ts';

/** Everything there is to know about a customer's refreshes once all of them are over. */
export interface Accounts {
  readonly records: readonly RefreshRecord[];
  readonly granted: number;
  readonly charged: number;
}

/**
 * None lost, none doubled, every credit accounted for: each accepted refresh is terminal, reserved
 * once, resolved once and announced once; the account holds what was granted less what was charged.
 */
export async function expectBalancedBooks(
  stack: StoryStack,
  customer: Pick<Customer, 'accountId' | 'projectId' | 'api'>,
  acceptedIds: readonly string[],
): Promise<Accounts> {
  const { accountId, projectId } = customer;
  const records = await listAll(customer);
  expect(ids(records)).toEqual([...acceptedIds].toSorted());
  expect(new Set(records.map(({ state }) => state))).toEqual(new Set(['completed']));

  const rows = await stack.operator.statement(accountId);
  const ofKind = (kinds: readonly string[]) => rows.filter(({ kind }) => kinds.includes(kind));
  expect(
    ofKind(['reserve'])
      .map(({ refreshId }) => refreshId)
      .toSorted(),
  ).toEqual(ids(records));
  const resolved = ofKind(['settle', 'release']);
  expect(resolved.map(({ refreshId }) => refreshId).toSorted()).toEqual(ids(records));

  // The status is terminal a moment before the event is appended.
  const log = await waitFor('every event is in the log', async () => {
    const found = await readProjectLog(stack, projectId);
    return found.length >= records.length && found;
  });
  expect(log.map(({ refreshId }) => refreshId).toSorted()).toEqual(ids(records));
  expect(log.map(({ position }) => position)).toEqual(log.map((_event, index) => index + 1));
  const outcomes = new Map(records.map((record) => [record.refresh_id, record.outcome]));
  for (const { refreshId, outcome } of log) expect(outcome).toBe(outcomes.get(refreshId));

  const sum = (kinds: readonly string[]) =>
    ofKind(kinds).reduce((total, row) => total + row.changeAvailable + row.changeHeld, 0);
  const granted = sum(['grant']);
  const charged = records.reduce((total, { billing }) => total + (billing.credits_charged ?? 0), 0);
  expect(charged + sum(['settle', 'release'])).toBe(0);
  const pages = -sum(['charge', 'reverse']);
  const left = granted - charged - pages;
  expect(await stack.operator.balance(accountId)).toEqual({
    total: left,
    held: 0,
    available: left,
  });
  expect(await stack.operator.openHolds(accountId)).toEqual([]);
  return { records, granted, charged };
}

function ids(records: readonly RefreshRecord[]): string[] {
  return records.map(({ refresh_id }) => refresh_id).toSorted();
}

async function listAll({
  api,
  projectId,
}: Pick<Customer, 'api' | 'projectId'>): Promise<RefreshRecord[]> {
  const records: RefreshRecord[] = [];
  let cursor: string | null = null;
  do {
    const query: string = cursor === null ? '?limit=100' : `?limit=100&cursor=${cursor}`;
    const { json } = await api.list(projectId, query);
    records.push(...json.data.items);
    cursor = json.data.pagination.next_cursor;
  } while (cursor !== null);
  return records;
}
