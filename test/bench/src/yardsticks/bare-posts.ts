import { createHmac, randomBytes, randomUUID } from 'node:crypto';
import { Agent, request } from 'undici';

/*
 * The least a sender of webhooks does: it signs a body and posts it, as many at once as allowed.
 * Arguments: URL, requests at once. Message: {count}; the reply is the rate.
 */
const [url = '', concurrency = '1'] = process.argv.slice(2);
const agent = new Agent({ connections: null, pipelining: 1 });
const key = randomBytes(32);

function bodyOf(id: string): string {
  return JSON.stringify({
    id,
    version: 1,
    occurred_at: new Date().toISOString(),
    project_id: `prj_${id}`,
    type: 'inventory.refresh.completed',
    data: { refresh_id: id, state: 'completed', outcome: 'complete_changed' },
    links: { refresh: `/v2/platform/inventory-refreshes/${id}` },
  });
}

async function post(): Promise<void> {
  const id = `evt_${randomUUID()}`;
  const body = bodyOf(id);
  const timestamp = Math.floor(Date.now() / 1_000);
  const signature = createHmac('sha256', key).update(`${id}.${timestamp}.${body}`).digest('base64');
  const response = await request(url, {
    method: 'POST',
    dispatcher: agent,
    headers: {
      'content-type': 'application/json',
      'webhook-id': id,
      'webhook-timestamp': String(timestamp),
      'webhook-signature': `v1,${signature}`,
    },
    body,
  });
  await response.body.dump();
}

async function run(count: number): Promise<number> {
  let left = count;
  const startMs = performance.now();
  const worker = async (): Promise<void> => {
    while (left > 0) {
      left -= 1;
      await post();
    }
  };
  await Promise.all(Array.from({ length: Number(concurrency) }, worker));
  return (count / (performance.now() - startMs)) * 1_000;
}

process.on('message', async ({ count }: { readonly count: number }) => {
  process.send?.(await run(count));
});
process.send?.('ready');
