import type { RequestListener } from 'node:http';
import type { Logger } from '@inventory/runtime/logger';
import { createPeerBuckets } from '../http/peer-buckets.ts';
import { createAudit } from './audit.ts';
import { createOperatorApp } from './operator-app.ts';
import type { OperatorConfig } from './operator-config.ts';
import { operatorRoutes } from './operator-routes.ts';
import type { OperatorServices } from './operator-services.ts';

/** The operator API, `/operator/v1/…`. */
export function openOperatorApi(
  services: OperatorServices,
  { operators, attemptsPerMinute: perMinute }: OperatorConfig['operatorApi'],
  logger: Logger,
): RequestListener {
  const { auditStore: store, clock, identifiers } = services;
  return createOperatorApp({
    routes: operatorRoutes.map((route) => route.bind(services)),
    operators,
    attempts: createPeerBuckets({ perMinute, clock }),
    audit: createAudit({ store, clock, identifiers, logger }),
    identifiers,
    logger,
  });
}
