import { projectEvent, projectEventTypes } from '@inventory/contracts/http/project-event';
import { isoTime } from '@inventory/runtime/clock';
import { systemIdentifiers } from '@inventory/runtime/identifiers';
import { asSent } from '@inventory/testkit/as-sent';
import { newProjectId } from '@inventory/testkit/builders';
import { completionOf } from '../../test/support/completions.ts';
import {
  writeBalanceLowEvent,
  writeRefreshEvent,
  writeSampleEvent,
  writeWatchPausedEvent,
} from './project-event.ts';

const projectId = newProjectId();
const revision_id = 'invrev_01900000-0000-7000-8000-000000000001';
const saved = completionOf(projectId, { outcome: 'complete_changed', revisionId: revision_id });
const hidden = completionOf(projectId);
const low = {
  accountId: saved.accountId,
  threshold: 500,
  available: 499,
  entrySeq: 7,
  atMs: Date.UTC(2026, 10, 21, 10),
};

const parsed = (event: { readonly json: string }) => asSent(projectEvent, JSON.parse(event.json));

test('an event of a refresh names its inventory, its revision and where to read it (Events)', () => {
  const { refreshId: refresh_id, outcome, scope } = saved;
  expect(parsed(writeRefreshEvent(saved))).toEqual({
    id: expect.stringMatching(/^evt_[0-9a-f-]{36}$/),
    version: 1,
    type: 'inventory.refresh.completed',
    occurred_at: '2026-11-21T10:00:00.000Z',
    project_id: projectId,
    environment: 'live',
    data: { refresh_id, state: 'completed', outcome, scope, revision_id, watch_id: null },
    links: {
      refresh: `/v2/platform/inventory-refreshes/${refresh_id}`,
      current: `/v2/platform/users/${scope.platform_id}/inventory/730/2/current`,
    },
  });
});

test('an event leads to what changed where its revision replaced one (Events: links) [links-to-changes]', () => {
  const previous_revision_id = 'invrev_01900000-0000-7000-8000-000000000000';
  const { platform_id } = saved.scope;
  const inventory = `/v2/platform/users/${platform_id}/inventory/730/2`;

  const { links } = parsed(
    writeRefreshEvent({ ...saved, previousRevisionId: previous_revision_id }),
  );

  expect(links).toMatchObject({
    current: `${inventory}/current`,
    changes: `${inventory}/changes?since=${previous_revision_id}`,
  });
  expect(parsed(writeRefreshEvent(saved)).links).not.toHaveProperty('changes');
});

test('without a saved revision revision_id is null and no link leads to Current (Events)', () => {
  const { refreshId: refresh_id, scope } = hidden;
  expect(parsed(writeRefreshEvent(hidden))).toMatchObject({
    data: { refresh_id, state: 'completed', outcome: 'private', scope, revision_id: null },
    links: { refresh: `/v2/platform/inventory-refreshes/${refresh_id}` },
  });
  expect(writeRefreshEvent(hidden).json).not.toContain('current');
});

test('the event of a run of a watch names it (Watches) [watch-runs]', () => {
  const watch_id = 'wat_0199c2a4-6f10-7b21-8c3d-4e5f6a7b8009';
  expect(parsed(writeRefreshEvent({ ...saved, watchId: watch_id }))).toMatchObject({
    data: { watch_id },
  });
});

test('a refresh has one event however often it is announced, and a crossing one in each Project (Events) [event-id, account-balance-low]', () => {
  const [one, other] = [newProjectId(), newProjectId()].map((id) => writeBalanceLowEvent(low, id));

  expect(writeRefreshEvent({ ...saved })).toEqual(writeRefreshEvent(saved));
  expect(one?.id).not.toBe(other?.id);
});

test('what is read of an event beside its text is what its text says (Events: same on every delivery)', () => {
  for (const event of [writeRefreshEvent(saved), writeBalanceLowEvent(low, projectId)]) {
    const { id, type, occurred_at } = parsed(event);
    expect({ id, type, occurred_at }).toEqual({
      ...{ id: event.id, type: event.type, occurred_at: isoTime(event.occurredAtMs) },
    });
  }
  expect([
    writeRefreshEvent(saved).refreshId,
    writeBalanceLowEvent(low, projectId).refreshId,
  ]).toEqual([saved.refreshId, null]);
});

test('a pause of a watch has one event however often it is announced, and each pause its own (Watches) [watches, event-id]', () => {
  const paused = {
    watchId: 'wat_0199c2a4-6f10-7b21-8c3d-4e5f6a7b8009',
    accountId: saved.accountId,
    projectId,
    scope: saved.scope,
    reason: 'insufficient_funds',
    pausedAtMs: Date.UTC(2026, 10, 21, 10),
  } as const;
  const later = writeWatchPausedEvent({ ...paused, pausedAtMs: Date.UTC(2026, 10, 21, 11) });

  expect(parsed(writeWatchPausedEvent(paused))).toMatchObject({
    type: 'inventory.watch.paused',
    occurred_at: '2026-11-21T10:00:00.000Z',
    data: { watch_id: paused.watchId, scope: saved.scope, reason: 'insufficient_funds' },
    links: {
      watch: `/v2/projects/${projectId}/watches/${saved.scope.platform_id}/${saved.scope.app_id}/${saved.scope.context_id}`,
    },
  });
  expect(writeWatchPausedEvent({ ...paused })).toEqual(writeWatchPausedEvent(paused));
  expect(later.id).not.toBe(writeWatchPausedEvent(paused).id);
});

test('every event states the environment of its account (Sandbox) [sandbox]', () => {
  const accountId = 'acc_01a22676-365c-8dd6-aff8-31301bbc20c6';
  const watchId = 'wat_0199c2a4-6f10-7b21-8c3d-4e5f6a7b8009';
  const reason = 'insufficient_funds';
  const of = { ...saved, accountId, watchId, reason, pausedAtMs: 0 } as const;

  const events = [
    writeRefreshEvent(of),
    writeWatchPausedEvent(of),
    writeBalanceLowEvent({ ...low, accountId }, projectId),
  ];

  expect(events.map((event) => parsed(event).environment)).toEqual(events.map(() => 'sandbox'));
});

test.each(projectEventTypes)(
  'each sample of %s is an event of its own (Sandbox: state verbs) [sandbox]',
  (type) => {
    const owner = { accountId: 'acc_01a22676-365c-8dd6-aff8-31301bbc20c6', projectId } as const;
    const [one, other] = [1, 2].map(() => writeSampleEvent(type, owner, systemIdentifiers, 0));
    if (!one || !other) throw new Error('two samples');

    const event = parsed(one);
    expect(event).toMatchObject({ type, environment: 'sandbox', project_id: projectId });
    if ('scope' in event.data) expect(event.data.scope.platform_id).toMatch(/^77[12]/);
    expect(other.id).not.toBe(one.id);
  },
);
