import type { PlacedEvent } from '@inventory/client/event-records';
import type { Watch } from '@inventory/client/records';
import { z } from 'zod';
import type { EventData } from '../events.ts';
import { sumBy } from '../usage-chart.ts';
import { defineTool, type Tool, textLike } from './tool.ts';

const shownMax = 20;

const readAccount = defineTool({
  name: 'read_account',
  description:
    'What is available; the spend caps, limits and permissions of the key; and, if it may read that, ' +
    'what was charged in the present UTC month.',
  input: z.strictObject({}),
  async run({ client, projectId }, _args, call) {
    const { balance, funding, spend_caps } = await client.account(call);
    const project = await client.project(projectId, call);
    // Shown to keys that may read the usage alone.
    if (spend_caps === undefined) return { ...project, balance, funding };
    const { from, to, items } = await client.usage(call);
    const charged = sumBy(items, ({ product_code, asset }) => `${product_code} ${asset}`);
    const usage = { from, to, charged: Object.fromEntries(charged) };
    return { ...project, balance, funding, usage };
  },
});

const listWatches = defineTool({
  name: 'list_watches',
  description: `The first ${shownMax} watches of the Project, with what each costs a month.`,
  permission: 'platform.inventory.refresh.v1',
  input: z.strictObject({ state: z.enum(['active', 'paused']).optional() }),
  async run({ client, projectId }, { state }, call) {
    const items: Watch[] = [];
    for await (const watch of client.watches(projectId, { ...call, state, limit: shownMax + 1 })) {
      if (items.push(watch) > shownMax) break;
    }
    return { items: items.slice(0, shownMax), has_more: items.length > shownMax };
  },
});

const listEvents = defineTool({
  name: 'list_events',
  description: `Up to ${shownMax} stored events of the Project, the oldest first, or those after last_cursor of an earlier call.`,
  permission: 'customer.events.read.v1',
  input: z.strictObject({ after: textLike(/^[\w.~-]{1,128}$/, 'must be a cursor').optional() }),
  async run({ client, projectId }, { after }, call) {
    const options = { ...call, after, limit: shownMax };
    const { items, pagination } = await client.listEvents(projectId, options);
    const shown = items.slice(0, shownMax);
    const last_cursor = shown.at(-1)?.cursor ?? after;
    return { items: shown.map(eventOf), last_cursor, has_more: pagination.has_more };
  },
});

export const projectTools: readonly Tool[] = [readAccount, listWatches, listEvents];

function eventOf({ event: { id, type, occurred_at, data } }: PlacedEvent) {
  const { scope, outcome, refresh_id, revision_id, reason } = data as EventData;
  return { id, type, occurred_at, scope, outcome, refresh_id, revision_id, reason };
}
