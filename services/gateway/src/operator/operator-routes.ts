import { accountRoutes } from './account-routes.ts';
import { auditRoutes } from './audit-routes.ts';
import { operatorCredentialRoutes } from './credential-routes.ts';
import { moneyRoutes } from './money-routes.ts';
import type { OperatorRoute } from './operator-route.ts';
import { priceRoutes } from './price-routes.ts';
import { projectRoutes } from './project-routes.ts';
import { serviceAccountRoutes } from './service-account-routes.ts';
import { serviceRoutes } from './service-routes.ts';
import { termsRoutes } from './terms-routes.ts';
import { operatorWatchRoutes } from './watch-routes.ts';
import { operatorWebhookRoutes } from './webhook-routes.ts';

/** Every operation of the operator API, in the order of its document. */
export const operatorRoutes: readonly OperatorRoute[] = [
  ...accountRoutes,
  ...projectRoutes,
  ...serviceAccountRoutes,
  ...operatorCredentialRoutes,
  ...moneyRoutes,
  ...termsRoutes,
  ...priceRoutes,
  ...operatorWebhookRoutes,
  ...operatorWatchRoutes,
  ...serviceRoutes,
  ...auditRoutes,
];
