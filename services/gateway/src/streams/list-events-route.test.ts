import { newProjectId, newRequestId } from '@inventory/testkit/builders';
import { createMemoryLog } from '../../test/support/memory-log.ts';
import type { AdmittedRequest, PublicResponse } from '../http/public-response.ts';
import { listEventsRoute } from './list-events-route.ts';

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
