import { opaqueEvent, projectEvent } from '@inventory/contracts/http/project-event';
import { newProjectId, newRefreshId, newScope } from '@inventory/testkit/builders';
import { balanceLowEvent } from './balance-event.domain.ts';
import { toEventText, toWireEvent } from './event-mapping.ts';
import type { LoggedEvent } from './project-event.domain.ts';
import { refreshEvent } from './refresh-event.domain.ts';

const [projectId, refreshId, scope] = [newProjectId(), newRefreshId(), newScope()];
const revisionId = `invrev_${newRefreshId()}` as const;
const accountId = `acc_${newRefreshId()}` as const;
const completedAt = '2026-11-21T10:00:00.000Z';
const refresh = `/v2/platform/inventory-refreshes/${refreshId}`;
const current = `/v2/platform/users/${scope.platform_id}/inventory/730/2/current`;

const terminal = { refreshId, accountId, projectId, completedAt };
const saved = refreshEvent(
  { ...terminal, outcome: 'complete_changed', inventory: scope, revisionId },
  newRefreshId(),
);
const hidden = refreshEvent(
  { ...terminal, outcome: 'private', inventory: scope, revisionId: null },
  newRefreshId(),
);
const ofEarlierProducer = refreshEvent(
  { ...terminal, outcome: 'complete_changed', inventory: null, revisionId },
  newRefreshId(),
);
const { inventory: _inventory, revisionId: _revisionId, ...ofEarlierLog } = saved;
const crossing = { accountId, threshold: 500, available: 499, entrySeq: 7, at: completedAt };
const balance = balanceLowEvent(crossing, projectId, newRefreshId());

const content = (event: LoggedEvent) => {
  const { data, links } = toWireEvent(event);
  return { data, links };
};
const dataOf = (outcome: string) => ({ refresh_id: refreshId, state: 'completed', outcome });

test('an event of a refresh names its inventory, its revision and where to read it (Events)', () => {
  expect(content(saved)).toEqual({
    data: { ...dataOf('complete_changed'), scope, revision_id: revisionId },
    links: { refresh, current },
  });
});

test('without a saved revision revision_id is null and no link leads to Current (Events)', () => {
  expect(content(hidden)).toEqual({
    data: { ...dataOf('private'), scope, revision_id: null },
    links: { refresh },
  });
});

test('an announcement of an earlier version has a null scope and no link to Current (Events)', () => {
  expect(content(ofEarlierProducer)).toEqual({
    data: { ...dataOf('complete_changed'), scope: null, revision_id: revisionId },
    links: { refresh },
  });
});

test('an entry of an earlier version stays byte for byte as it was delivered (Events: same on every delivery)', () => {
  const { id } = ofEarlierLog;

  expect(JSON.stringify(toWireEvent(ofEarlierLog))).toBe(
    `{"id":"${id}","version":1,"occurred_at":"${completedAt}","project_id":"${projectId}",` +
      `"type":"inventory.refresh.completed","data":{"refresh_id":"${refreshId}",` +
      `"state":"completed","outcome":"complete_changed"},"links":{"refresh":"${refresh}"}}`,
  );
});

test.each<[string, LoggedEvent]>([
  ['a saved refresh', saved],
  ['a private one', hidden],
  ['one of an earlier producer', ofEarlierProducer],
  ['one of an earlier log', ofEarlierLog],
  ['a low balance', balance],
])(
  'the event of %s has the same bytes in a webhook and, read by a gateway, on the stream (Events: webhooks)',
  (_name, event) => {
    const { json } = toEventText(event);
    const read = opaqueEvent.parse(JSON.parse(json));

    expect(projectEvent.safeParse(read).success).toBe(true);
    expect(JSON.stringify(read)).toBe(json);
  },
);
