import { projectView } from '@inventory/contracts/http/account';
import { projectPath } from '@inventory/contracts/http/parameters';
import { dataRoute } from '../http/data-route.ts';
import { exampleIds } from '../http/openapi/examples.ts';
import { buyerOf, mayUse } from '../tenancy/principal.domain.ts';
import type { AccountServices } from './account-services.ts';
import { keyExample, keyViewOf } from './key-view.ts';

/** GET /v2/projects/{project_id}: where the Credential of the request belongs, and what it may do. */
export const readProjectRoute = dataRoute({
  operationId: 'readProject',
  tag: 'Account',
  summary: 'Project',
  description: 'The Project of the Credential, what that may do, and its limits.',
  method: 'GET',
  template: '/v2/projects/{project_id}',
  input: { path: projectPath },
  response: {
    status: 200,
    description: 'The Project as it is now.',
    data: projectView,
    example: {
      project_id: exampleIds.project,
      account_id: exampleIds.account,
      name: 'Price tracker',
      environment: 'live',
      ...keyExample,
      credential_spend_cap: { cap: 500, spent: 125, resets_at: '2026-02-01T00:00:00.000Z' },
    },
  },
  errors: [],
  async handle(
    { tenancy, ledger, customerRequestsPerMinute }: AccountServices,
    { path: { projectId } },
    { principal },
  ) {
    const [{ accountId, name }, { spendCap, credentialSpendCap }] = await Promise.all([
      tenancy.requireProject(projectId),
      ledger.readFunds(buyerOf(principal)),
    ]);
    const isFull = mayUse(principal.permissions, 'customer.account.read.v1');
    const caps = { credentialSpendCap, ...(isFull ? { spendCap } : {}) };
    const key = keyViewOf(principal, customerRequestsPerMinute);
    const { environment } = principal;
    return { data: { projectId, accountId, name, environment, ...key, ...caps } };
  },
});
