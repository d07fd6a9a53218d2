import { createInternalClient } from '@inventory/http/internal-client';
import type { MessageBus } from '@inventory/messaging/bus';
import type { ServiceContext } from '@inventory/service-host/service-context';
import type { EventStreamConfig } from '../config.ts';
import { createGatewayClient, type GatewayClient } from '../log/gateway-client.ts';
import { createProjectEventAccess, type ProjectEventAccess } from './event-access.ts';
import { onAuthorityChanged } from './on-authority-changed.ts';

export function openGatewayClient({
  config,
  lifetime,
}: ServiceContext<EventStreamConfig>): GatewayClient {
  const client = createInternalClient({
    service: 'gateway',
    baseUrl: config.gateway.url,
    serviceToken: config.serviceToken,
    timeoutMs: config.gateway.timeoutMs,
  });
  lifetime.defer('client of gateway', () => client.close());
  return createGatewayClient(client);
}

interface EventAccessDeps {
  readonly bus: Pick<MessageBus, 'broadcast'>;
  readonly gateway: Pick<GatewayClient, 'mayHaveEvents'>;
}

/** Whether Projects may receive their events, invalidated by the changes that the gateway publishes. */
export async function openEventAccess(
  { lifetime, clock, logger }: ServiceContext<EventStreamConfig>,
  { bus, gateway }: EventAccessDeps,
): Promise<ProjectEventAccess> {
  const eventAccess = createProjectEventAccess({
    findEventAccess: gateway.mayHaveEvents,
    clock,
    logger,
  });
  const subscription = await bus.broadcast({
    name: 'event-stream-authority',
    topics: ['authority.changes.v1'],
    onMessage: onAuthorityChanged(eventAccess),
  });
  lifetime.defer('authority changes', () => subscription.stop());
  return eventAccess;
}
