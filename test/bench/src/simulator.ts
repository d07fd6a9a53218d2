import type { Stack } from '@inventory/local-stack/stack';
import { request } from 'undici';
import type { Inventory } from './customer.ts';

type Simulated = Pick<Stack, 'simulatorUrl'>;

/** Calls the simulated platform; the JSON of its response. Rejects where the status is not 200. */
async function callSimulator(
  { simulatorUrl }: Simulated,
  path: string,
  method: 'GET' | 'POST' | 'PATCH' = 'GET',
  content?: object,
): Promise<unknown> {
  const sent = content ? { body: JSON.stringify(content) } : {};
  const headers = { 'content-type': 'application/json' };
  const response = await request(`${simulatorUrl}${path}`, { method, headers, ...sent });
  const text = await response.body.text();
  if (response.statusCode !== 200) throw new Error(`${path}: ${response.statusCode} ${text}`);
  return JSON.parse(text);
}

const pathOf = ({ platformId, appId, contextId }: Inventory) =>
  `${platformId}/${appId}/${contextId}`;

export async function changeInventory(
  simulated: Simulated,
  inventory: Inventory,
  change:
    | { readonly kind: 'remove'; readonly positions: readonly number[] }
    | { readonly kind: 'add'; readonly count: number },
): Promise<void> {
  await callSimulator(simulated, `/control/inventories/${pathOf(inventory)}`, 'POST', change);
}

/** What the platform takes to respond from now on. */
export async function setLatency(simulated: Simulated, fixed_ms: number): Promise<void> {
  await callSimulator(simulated, '/control/latency', 'PATCH', { fixed_ms });
}

/** The part of all requests that the platform did not throttle. */
export async function admittedShare(simulated: Simulated): Promise<number> {
  const { total } = (await callSimulator(simulated, '/control/counters')) as {
    readonly total: { readonly requests: number; readonly throttled: number };
  };
  return 1 - total.throttled / total.requests;
}

interface Page {
  readonly more_items?: number;
  readonly last_assetid?: string;
}

/** A page of 2,000 assets, as a collector requests it. */
export async function readPage(
  simulated: Simulated,
  inventory: Inventory,
  after?: string,
): Promise<Page> {
  const query = `l=english&count=2000${after === undefined ? '' : `&start_assetid=${after}`}`;
  return (await callSimulator(simulated, `/inventory/${pathOf(inventory)}?${query}`)) as Page;
}
