import { type HttpServer, startHttpServer } from '@inventory/http/http-server';
import type { ServiceContext } from '@inventory/service-host/service-context';
import type { Db } from 'mongodb';
import type { RequestReplyClient } from './commands/request-reply-client.ts';
import type { GatewayConfig } from './config.ts';
import type { ServiceClients } from './open-clients.ts';
import { createAuditStore } from './operator/audit-store.ts';
import { openOperatorApi } from './operator/open-operator-api.ts';
import type { Tenancy } from './tenancy/open-tenancy.ts';

interface OperatorServerDeps {
  readonly db: Db;
  readonly commands: RequestReplyClient;
  readonly clients: ServiceClients;
  readonly tenancy: Tenancy;
}

const drainMs = 5_000;

/** Serves the operator API on a port of its own. The database must have `auditIndexes`. */
export async function startOperatorApi(
  context: ServiceContext<GatewayConfig>,
  { db, clients, ...deps }: OperatorServerDeps,
): Promise<HttpServer> {
  const { config, lifetime } = context;
  const { deadlines } = config;
  const listener = openOperatorApi({
    ...clients,
    ...context,
    ...deps,
    ...config.operatorApi,
    auditStore: createAuditStore(db, deadlines),
    deadlines,
  });
  const server = await startHttpServer({ listener, halfClosed: true, ...config.operatorHttp });
  lifetime.defer('operator HTTP', () => server.close(drainMs));
  return server;
}
