import { type AccountRoutesDeps, accountRoutes } from './account-routes.ts';
import { type AuditRoutesDeps, auditRoutes } from './audit-routes.ts';
import { type CredentialRoutesDeps, credentialRoutes } from './credential-routes.ts';
import { type MoneyRoutesDeps, moneyRoutes } from './money-routes.ts';
import type { OperatorRoute } from './operator-route.ts';
import { type PriceRoutesDeps, priceRoutes } from './price-routes.ts';
import { type ProjectRoutesDeps, projectRoutes } from './project-routes.ts';
import { type ServiceAccountRoutesDeps, serviceAccountRoutes } from './service-account-routes.ts';
import { type ServiceRoutesDeps, serviceRoutes } from './service-routes.ts';
import { type TermsRoutesDeps, termsRoutes } from './terms-routes.ts';
import { type WebhookRoutesDeps, webhookRoutes } from './webhook-routes.ts';

export type OperatorRoutesDeps = AccountRoutesDeps &
  ProjectRoutesDeps &
  ServiceAccountRoutesDeps &
  CredentialRoutesDeps &
  MoneyRoutesDeps &
  TermsRoutesDeps &
  PriceRoutesDeps &
  WebhookRoutesDeps &
  ServiceRoutesDeps &
  AuditRoutesDeps;

/** Every operation of the operator API, in the order of its document. */
export const operatorRoutes: readonly OperatorRoute<OperatorRoutesDeps>[] = [
  ...accountRoutes,
  ...projectRoutes,
  ...serviceAccountRoutes,
  ...credentialRoutes,
  ...moneyRoutes,
  ...termsRoutes,
  ...priceRoutes,
  ...webhookRoutes,
  ...serviceRoutes,
  ...auditRoutes,
];
