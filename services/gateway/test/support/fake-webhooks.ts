import type { IncomingMessage } from 'node:http';
import type { webhookDelivery, webhookEndpoint } from '@inventory/contracts/http/webhooks';
import type { Refusal } from '@inventory/contracts/refusal';
import type { z } from 'zod';
import {
  type FakeResponse,
  type HttpFake,
  jsonResponse,
  refusalResponse,
  startHttpFake,
} from './http-fake.ts';

type EndpointView = z.input<typeof webhookEndpoint>;

export interface WebhookAsk {
  readonly method: string;
  readonly path: string;
  readonly query: Readonly<Record<string, string>>;
  readonly body: unknown;
}

/** The event-stream, as far as it keeps webhook endpoints. */
export interface FakeWebhooks {
  readonly http: HttpFake;
  /** Everything it was asked, the newest last. */
  readonly asked: WebhookAsk[];
  /** What it refuses everything with; null where it does what it is asked. */
  refusal: Refusal | null;
  /** Whether the key of every rotation was used before. */
  replayed: boolean;
  /** The endpoints of every Project, oldest first. */
  endpointIds: readonly string[];
  /** Deliveries of every endpoint, and the position of the next part. */
  deliveries: { items: z.input<typeof webhookDelivery>[]; next_before: string | null };
  reset(): void;
  close(): Promise<void>;
}

export const fakeSecret = 'whsec_CkJ8yzrm6OvkcU4c0M3hSvv0j1GPVDyYw4xJ1T9yQmE=';
const at = '2026-11-21T10:00:00.000Z';
const newEndpointId = 'whe_0198c0de-0000-7000-8000-000000000009';

export async function startFakeWebhooks(): Promise<FakeWebhooks> {
  const asked: WebhookAsk[] = [];
  const fake = {
    asked,
    refusal: null as FakeWebhooks['refusal'],
    replayed: false,
    endpointIds: [newEndpointId] as FakeWebhooks['endpointIds'],
    deliveries: { items: [], next_before: null } as FakeWebhooks['deliveries'],
  };

  async function respond(url: URL, request: IncomingMessage): Promise<FakeResponse> {
    const body = await jsonOf(request);
    const { method = '' } = request;
    asked.push({ method, path: url.pathname, query: Object.fromEntries(url.searchParams), body });
    if (fake.refusal) return refusalResponse(fake.refusal);
    return granted(method, url, body);
  }

  function granted(method: string, url: URL, body: object): FakeResponse {
    const [, , projectId = '', , endpointId = newEndpointId, verb] = url.pathname.split('/');
    if (url.pathname.endsWith('/sample-event')) {
      return jsonResponse({
        event_id: `evt_${newEndpointId.slice(4)}`,
        endpoints: fake.endpointIds,
      });
    }
    if (url.pathname.endsWith('/sample-events')) {
      return jsonResponse({ event_id: `evt_${newEndpointId.slice(4)}` }, 201);
    }
    if (url.pathname.endsWith('/event-deliveries')) {
      const items = url.searchParams
        .getAll('event_id')
        .map((event_id) => ({ event_id, endpoint_id: newEndpointId, state: 'delivered' }));
      return jsonResponse({ items });
    }
    const endpoint = { ...endpointOf(projectId, endpointId), ...body };
    if (verb === 'fail') return jsonResponse({ ...endpoint, state: 'disabled' });
    if (verb === 'test') return jsonResponse({ event_id: `evt_${endpointId.slice(4)}` });
    if (verb === 'deliveries') return jsonResponse(fake.deliveries);
    if (verb === 'redeliver') return jsonResponse({ redelivered: 1, continue_since: null });
    if (verb === 'rotate-secret') {
      const { replayed } = fake;
      return jsonResponse({ ...endpoint, secret: fakeSecret, replayed });
    }
    if (method === 'DELETE') return jsonResponse({ endpoint_id: endpointId, deleted: true });
    if (method === 'POST') return jsonResponse({ ...endpoint, secret: fakeSecret }, 201);
    if (url.pathname.endsWith('/webhook-endpoints')) {
      return jsonResponse({ items: fake.endpointIds.map((id) => endpointOf(projectId, id)) });
    }
    return jsonResponse(endpoint);
  }

  const http = await startHttpFake(respond);
  return Object.assign(fake, {
    http,
    reset() {
      fake.refusal = null;
      fake.replayed = false;
      fake.endpointIds = [newEndpointId];
      fake.deliveries = { items: [], next_before: null };
    },
    close: () => http.close(),
  });
}

function endpointOf(projectId: string, endpointId: string): EndpointView {
  return {
    endpoint_id: endpointId as EndpointView['endpoint_id'],
    project_id: projectId as EndpointView['project_id'],
    url: 'https://example.com/hook',
    description: null,
    types: ['inventory.refresh.completed'],
    state: 'enabled',
    disabled_reason: null,
    failing_since: null,
    secrets: [{ created_at: at, ends_at: null }],
    created_at: at,
    changed_at: at,
  };
}

async function jsonOf(request: IncomingMessage): Promise<object> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  const text = Buffer.concat(chunks).toString();
  return text === '' ? {} : (JSON.parse(text) as object);
}
