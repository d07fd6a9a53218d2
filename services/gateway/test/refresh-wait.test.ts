import { request } from 'node:http';
import { systemClock } from '@inventory/runtime/clock';
import { newRefreshId, newScope } from '@inventory/testkit/builders';
import { waitFor } from '@inventory/testkit/wait-for';
import { standardDeadlines } from '../src/deadlines.ts';
import { completedView } from './support/fake-collector.ts';
import { gateway, world } from './support/file-gateway.ts';
import { refreshPathOf, statusPathOf } from './support/paths.ts';
import { farMs, patientDeadlines } from './support/patience.ts';
import { startTestGateway } from './support/test-gateway.ts';

/** A second of `wait` is ten minutes: a wait ends on what it waits for, or not at all. */
async function startRefresh({ key, principal } = world.issue()) {
  const body = { max_credits: 125 };
  const response = await gateway.call({
    method: 'POST',
    path: refreshPathOf(newScope()),
    key,
    body,
  });
  const id: string = response.json.data.refresh_id;
  return { key, projectId: principal.projectId, id };
}

type Started = Pick<Awaited<ReturnType<typeof startRefresh>>, 'id' | 'key'>;

const status = ({ id, key }: Started, wait: number | string, at = gateway) =>
  at.call({ path: `${statusPathOf(id)}?wait=${wait}`, key });

/** The collector has it terminal, then announces it. */
async function complete({ id, projectId }: { id: string; projectId: `prj_${string}` }) {
  const view = world.collector.views.get(id);
  if (!view) throw new Error('there is no such refresh');
  world.collector.views.set(id, completedView(view));
  const body = {
    refreshId: id,
    accountId: view.accountId,
    projectId,
    outcome: 'complete_changed',
    revisionId: null,
    previousRevisionId: null,
    completedAtMs: systemClock.now(),
    scope: newScope(),
    watchId: null,
  } as const;
  await world.bus.publish([{ type: 'refresh.completed.v1', id: `completed:${id}`, body }]);
}

const isReading = (id: string) => waitFor('the gateway reads', () => world.collector.reads.has(id));

test('a waiting status is answered when the refresh becomes terminal, not at its time (Status) [refresh-status, status-wait]', async () => {
  const refresh = await startRefresh();
  const waiting = status(refresh, 30);
  await isReading(refresh.id);

  await complete(refresh);
  const response = await waiting;

  expect(response.json.data).toMatchObject({ state: 'completed', outcome: 'complete_changed' });
  expect(response.headers['retry-after']).toBeUndefined();
});

test('a wait that is over shows the pending record and when to poll again (Status) [refresh-status, status-wait]', async () => {
  const refresh = await startRefresh();
  const hasty = await startTestGateway(world, {
    deadlines: { ...patientDeadlines, waitSecondMs: standardDeadlines.waitSecondMs },
  });
  const startMs = performance.now();

  const response = await status(refresh, 1, hasty);

  // Never before: a slow machine answers later.
  expect(performance.now() - startMs).toBeGreaterThan(990);
  expect(response.json.data.state).toBe('queued');
  expect(response.headers['retry-after']).toBe('3');
  await hasty.stop();
});

test('what is terminal or unknown is answered at once, however long the wait', async () => {
  const refresh = await startRefresh();
  await complete(refresh);

  expect((await status(refresh, 30)).status).toBe(200);
  expect((await status({ id: newRefreshId(), key: refresh.key }, 30)).status).toBe(404);
});

test.each(['31', '-1', '1.5', '', 'long'])(
  'a wait of "%s" is no wait (Status) [refresh-status]',
  async (wait) => {
    const refresh = await startRefresh();
    const response = await status(refresh, wait);

    expect(response.status).toBe(422);
    expect(response.json.error.detail.issues).toEqual([
      {
        in: 'query',
        field: 'wait',
        reason: 'must be a whole number from 0 to 30, as plain digits',
      },
    ]);
  },
);

test('a lost notify delays the answer and does not lose it', async () => {
  const refresh = await startRefresh();
  const restless = await startTestGateway(world, {
    deadlines: { ...patientDeadlines, waitReadEveryMs: 100 },
  });
  const waiting = status(refresh, 30, restless);
  await isReading(refresh.id);
  const view = world.collector.views.get(refresh.id);
  if (view) world.collector.views.set(refresh.id, completedView(view));

  expect((await waiting).json.data.state).toBe('completed');
  await restless.stop();
});

test('one account waits at most a hundred times; the next is answered at once', async () => {
  const refresh = await startRefresh();
  const waiting = Array.from({ length: 100 }, () => status(refresh, 30));
  await waitFor('all wait', () => (world.collector.reads.get(refresh.id) ?? 0) >= 100);

  const surplus = await status(refresh, 30);

  expect(surplus.json.data.state).toBe('queued');
  await complete(refresh);
  const responses = await Promise.all(waiting);
  expect(new Set(responses.map(({ json }) => json.data.state))).toEqual(new Set(['completed']));
});

test('a client that leaves frees its slot', async () => {
  const owner = world.issue();
  const refresh = await startRefresh(owner);
  const sent = Array.from({ length: 100 }, () => {
    const leaving = request(`${gateway.url}${statusPathOf(refresh.id)}?wait=30`, {
      headers: { 'x-api-key': refresh.key },
    });
    leaving.on('error', () => {});
    return leaving.end();
  });
  await waitFor('all wait', () => (world.collector.reads.get(refresh.id) ?? 0) >= 100);

  for (const leaving of sent) leaving.destroy();

  // With a slot it is answered when the refresh is completed, without one before that.
  await waitFor('there is a free slot again', async () => {
    const next = await startRefresh(owner);
    const waiting = status(next, 30);
    await isReading(next.id);
    await complete(next);
    return (await waiting).json.data.state === 'completed';
  });
});

test('a gateway that stops responds to waiting requests', async () => {
  const leaving = await startTestGateway(world, {
    limits: { drainMs: farMs },
    stopDeadlineMs: farMs,
  });
  const refresh = await startRefresh();
  const waiting = status(refresh, 30, leaving);
  await isReading(refresh.id);

  await leaving.stop();

  expect((await waiting).json.data.state).toBe('queued');
});
