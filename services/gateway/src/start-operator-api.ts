import { type HttpServer, startHttpServer } from '@inventory/http/http-server';
import type { ServiceContext } from '@inventory/service-host/service-context';
import type { Db } from 'mongodb';
import type { RequestReplyClient } from './commands/request-reply-client.ts';
import type { GatewayConfig } from './config.ts';
import { createCursorSealer } from './http/sealed-cursor.ts';
import type { ServiceClients } from './open-clients.ts';
import { createAuditStore } from './operator/audit-store.ts';
import { openOperatorApi } from './operator/operator-app.ts';
import type { Tenancy } from './tenancy/open-tenancy.ts';

const drainMs = 5_000;

/** Serves the operator API on a port of its own. The database must have `auditIndexes`. */
export async function startOperatorApi(
  context: ServiceContext<GatewayConfig>,
  parts: {
    readonly db: Db;
    readonly commands: RequestReplyClient;
    readonly clients: ServiceClients;
    readonly tenancy: Tenancy;
  },
): Promise<HttpServer> {
  const { config, lifetime, clock, identifiers, logger } = context;
  const { tenancy, commands, clients, db } = parts;
  const { deadlines } = config;
  const auditStore = createAuditStore(db, deadlines);
  const cursors = createCursorSealer(config.cursorKeys);
  const stores = { tenancy, auditStore, cursors };
  const services = { ...clients, ...stores, commands, clock, identifiers, deadlines };
  const listener = openOperatorApi(services, config.operatorApi, logger);
  const server = await startHttpServer({ listener, halfClosed: true, ...config.operatorHttp });
  lifetime.defer('operator HTTP', () => server.close(drainMs));
  return server;
}
