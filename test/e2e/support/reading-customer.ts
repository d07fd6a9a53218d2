import { projectEvent } from '@inventory/contracts/http/project-event';
import type { EventSourceMessage } from 'eventsource-parser';
import { untilCompleted } from './follow-refresh.ts';
import type { Customer, Operator } from './operator.ts';
import { sizeScope } from './simulator-control.ts';
import { openReader, type StreamReader } from './stream-reader.ts';

export interface StreamStack {
  readonly operator: Operator;
  /** Public addresses of all gateways. */
  readonly gatewayUrls: readonly string[];
}

/** A customer whose Project may be read as a stream. */
export interface ReadingCustomer extends Customer {
  open(lastEventId?: string, gateway?: number): Promise<StreamReader>;
}

const scopes = ['*', 'customer.events.read.v1'];

export async function newReadingCustomer(
  { operator, gatewayUrls }: StreamStack,
  options: { eventsEnabled?: boolean } = {},
): Promise<ReadingCustomer> {
  const customer = await operator.newCustomer();
  const { accountId, projectId } = customer;
  const enabled = options.eventsEnabled ?? true;
  await operator.switchEvents(accountId, enabled);
  const credential = await operator.newCredential(projectId, { scopes });
  return {
    ...customer,
    ...credential,
    open: (lastEventId, gateway = 0) =>
      openReader({
        gatewayUrl: gatewayUrls[gateway] ?? '',
        projectId,
        apiKey: credential.secret,
        lastEventId,
      }),
  };
}

/** One-page refreshes from `firstSerial` on, completed; their ids in the order they were accepted. */
export async function refreshOnePages(
  { api, projectId }: Pick<Customer, 'api' | 'projectId'>,
  serials: readonly number[],
): Promise<string[]> {
  const ids: string[] = [];
  for (const serial of serials) ids.push(await api.accepted(sizeScope(5, serial)));
  await untilCompleted(api, projectId, ids);
  return ids;
}

/** The refreshes that events of a stream are about. */
export function refreshIdsOf(frames: readonly EventSourceMessage[]): string[] {
  return frames.map(({ data }) => {
    const event = projectEvent.parse(JSON.parse(data));
    return 'refreshId' in event.data ? event.data.refreshId : '';
  });
}
