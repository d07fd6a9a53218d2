import { projectEvent } from '@inventory/contracts/http/project-event';
import { asSent } from '@inventory/testkit/as-sent';
import { waitFor } from '@inventory/testkit/wait-for';
import type { z } from 'zod';
import {
  type ReceivedHook,
  startReceiver,
} from '../../../services/event-stream/test/support/http-receiver.ts';
import { verifyHook } from '../../../services/event-stream/test/support/verify-hook.ts';
import type { Customer, Operator } from './operator.ts';
import { refreshOnePages } from './reading-customer.ts';

type SentEvent = z.input<typeof projectEvent>;

/** A customer with events and a webhook endpoint at a path of its own. */
export interface Subscriber extends Customer {
  readonly path: string;
  readonly endpointId: string;
  readonly endpointSecret: string;
  readonly hooksPath: string;
}

export interface WebhookStory {
  readonly receiver: Awaited<ReturnType<typeof startReceiver>>;
  subscriber(types?: readonly string[]): Promise<Subscriber>;
  /** One-page refreshes, completed; their ids. */
  refreshed(customer: Subscriber, count?: number): Promise<string[]>;
  /** The webhooks that reached a path, once they are that many. */
  arrived(path: string, times: number): Promise<readonly ReceivedHook[]>;
  /** The event of a webhook whose signature is right. */
  verified(customer: Subscriber, hook: ReceivedHook | undefined): SentEvent;
  /** What the Project's log holds. */
  eventsOf(customer: Subscriber): Promise<SentEvent[]>;
}

const scopes = [
  '*',
  'customer.events.read.v1',
  'customer.webhooks.manage.v1',
  'customer.account.read.v1',
  'customer.account.manage.v1',
];

/** `operator` is asked when a customer is made. */
export async function openWebhookStory(
  operator: () => Operator,
  firstSerial: number,
): Promise<WebhookStory> {
  const receiver = await startReceiver();
  let serial = firstSerial;
  return {
    receiver,
    async subscriber(types = ['inventory.refresh.completed']) {
      const customer = await operator().newCustomer();
      const { accountId, projectId } = customer;
      await operator().switchEvents(accountId, true);
      const credential = await operator().newCredential(projectId, { scopes });
      const path = `/${projectId}`;
      const hooksPath = `/v2/projects/${projectId}/webhook-endpoints`;
      const body = { url: `${receiver.url}${path}`, types };
      const created = await credential.api.call({ method: 'POST', path: hooksPath, body });
      expect(created.status).toBe(201);
      const { endpoint_id: endpointId, secret: endpointSecret } = created.json.data;
      return { ...customer, ...credential, path, endpointId, endpointSecret, hooksPath };
    },
    refreshed(customer, count = 1) {
      const serials = Array.from({ length: count }, (_none, index) => serial + index);
      serial += count;
      return refreshOnePages(customer, serials);
    },
    arrived: (path, times) =>
      waitFor(`${times} webhooks reach ${path}`, () => {
        const hooks = receiver.of(path);
        return hooks.length >= times && hooks;
      }),
    verified: ({ endpointSecret }, hook) => asSent(projectEvent, verifyHook(endpointSecret, hook)),
    async eventsOf({ api, projectId }) {
      const { json } = await api.call({ path: `/v2/projects/${projectId}/events` });
      return json.data.items.map(({ event }: { event: SentEvent }) => event);
    },
  };
}
