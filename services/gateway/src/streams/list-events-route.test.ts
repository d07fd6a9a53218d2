import { newProjectId, newRequestId } from '@inventory/testkit/builders';
import { createMemoryLog } from '../../test/support/memory-log.ts';
import type { AdmittedRequest, PublicResponse } from '../http/public-response.ts';
import { listEventsRoute } from './list-events-route.ts';

test('of types it has their events, page by page to the end, and pages of none are passed (Free looks and findable lists: types) [list]', async () => {
  const projectId = newProjectId();
  const { client: log, events, append } = createMemoryLog(projectId);
  const wanted = 'inventory.watch.paused';
  for (let index = 0; index < 1_300; index += 1) append(index % 1_200 === 3 ? wanted : undefined);
  const cursors = {
    seal: (_project: string, { position }: { position: number }) => `c${position}`,
    open: (_project: string, cursor: string) => ({
      logEpoch: 1,
      position: Number(cursor.slice(1)),
    }),
  };
  const request = { requestId: newRequestId(), principal: { projectId, eventsEnabled: true } };
  const listed: string[] = [];
  const sizes: number[] = [];
  let after = '';
  do {
    const answer = await listEventsRoute
      .bind({ log, cursors } as unknown as Parameters<typeof listEventsRoute.bind>[0])
      .run(
        {
          path: { project_id: projectId },
          query: new URLSearchParams(`types=${wanted}&types=account.balance.low&limit=1${after}`),
          headers: {},
          body: undefined,
        },
        request as unknown as AdmittedRequest,
      );
    const { items, pagination } = JSON.parse((answer as PublicResponse).body.toString()).data;
    sizes.push(items.length);
    listed.push(...items.map(({ event }: { event: { id: string } }) => event.id));
    after = pagination.has_more ? `&after=${pagination.next_cursor}` : '';
  } while (after !== '');

  const expected = events.filter(({ type }) => type === wanted).map(({ id }) => id);
  expect(listed).toEqual(expected);
  expect(sizes).toContain(0);
});

test('an event of a later version is listed byte for byte, between those that are known (Events: kept log)', async () => {
  const projectId = newProjectId();
  const { client: log, events, append } = createMemoryLog(projectId);
  append();
  append();
  const json =
    `{"10":{},"2":[1e+21,"\\u001f"],"type":"inventory.later.type","project_id":"${projectId}",` +
    '"version":7,"data":{"b":null}}';
  for (const event of events.slice(1))
    events.push({ ...event, type: 'inventory.later.type', json });
  append();
  const cursors = {
    seal: (_project: string, { position }: { position: number }) => `c${position}`,
  };
  const requestId = newRequestId();
  const request = { requestId, principal: { projectId, eventsEnabled: true } };

  const response = await listEventsRoute
    .bind({ log, cursors } as unknown as Parameters<typeof listEventsRoute.bind>[0])
    .run(
      {
        path: { project_id: projectId },
        query: new URLSearchParams('limit=3'),
        headers: {},
        body: undefined,
      },
      request as unknown as AdmittedRequest,
    );

  const [one, two] = events.map((event) => event.json);
  expect((response as PublicResponse).body.toString()).toBe(
    `{"success":true,"data":{"items":[{"cursor":"c1","event":${one}},{"cursor":"c2","event":${two}},` +
      `{"cursor":"c3","event":${json}}],"pagination":{"has_more":true,"next_cursor":"c3"}},` +
      `"meta":{"request_id":"${requestId}"}}`,
  );
});
