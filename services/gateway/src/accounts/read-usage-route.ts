import { accountUsage, usageQuery } from '@inventory/contracts/http/account';
import type { RequestIssue } from '@inventory/contracts/http/meta';
import { Refused } from '@inventory/http/refused';
import type { z } from 'zod';
import { dataRoute } from '../http/data-route.ts';
import { exampleIds } from '../http/openapi/examples.ts';
import type { AccountServices } from './account-services.ts';

const dayMs = 86_400_000;

const tooMuch = {
  in: 'query',
  field: 'from',
  reason: 'is of more use than one response holds: request fewer days or for one Project',
} as const satisfies RequestIssue;

/** GET /v2/account/usage: what was charged, by UTC day, Project and product. */
export const readUsageRoute = dataRoute({
  operationId: 'readUsage',
  tag: 'Account',
  summary: 'Usage',
  description:
    'What was charged by UTC day, Project and product: of at most 31 days, both included, or of ' +
    'the present UTC month so far.',
  method: 'GET',
  template: '/v2/account/usage',
  permission: 'customer.account.read.v1',
  input: { query: usageQuery },
  response: {
    status: 200,
    description: 'The usage of these days.',
    data: accountUsage,
    example: {
      from: '2026-01-01',
      to: '2026-01-15',
      items: [
        {
          day: '2026-01-15',
          project_id: exampleIds.project,
          product_code: 'platform.inventory.page.v1',
          asset: 'credits',
          count: 12,
          charged: 12,
          reversed: 1,
        },
      ],
    },
  },
  errors: ['project_not_found'],
  async handle({ ledger, tenancy, clock }: AccountServices, { query }, { principal }) {
    const { accountId } = principal;
    const { projectId } = query;
    if (projectId !== undefined) {
      const project = await tenancy.findProject(projectId);
      if (project?.accountId !== accountId) throw new Refused({ code: 'project_not_found' });
    }
    const span = spanOf(query, clock.now());
    const report = await ledger.readUsage(accountId, { ...span, projectId });
    if (report === null) {
      throw new Refused({ code: 'invalid_request', detail: { issues: [tooMuch] } });
    }
    return { data: { ...span, items: report.items } };
  },
});

/** Without days: the current UTC month so far. */
function spanOf({ from, to }: z.output<typeof usageQuery>, nowMs: number) {
  const today = Math.floor(nowMs / dayMs);
  const firstOfMonth = today - new Date(nowMs).getUTCDate() + 1;
  return { from: from ?? firstOfMonth, to: to ?? today };
}
