import { auditRecord } from '@inventory/contracts/http/audit';
import { queryTimeMs } from '@inventory/contracts/http/parameters';
import { z } from 'zod';
import type { AuditPosition } from './audit-store.ts';
import { partsOf } from './list-by-id.ts';
import { operatorRoute } from './operator-route.ts';
import { listOf, listQuery } from './operator-schemas.ts';

export const auditRoutes = [
  operatorRoute({
    operationId: 'listAudit',
    command: 'audit',
    columns: ['at', 'operator', 'kind', 'action', 'path', 'outcome', 'request_id'],
    tag: 'Audit',
    summary: 'What operators did and attempted, oldest first',
    description:
      'A change has two entries: `started` before its effect and `ended` with its outcome. One ' +
      'without an end has an unknown outcome. `refused` is a call without a token or a role for it.',
    method: 'GET',
    path: '/audit',
    role: 'admin',
    input: {
      query: listQuery.extend({
        from: queryTimeMs.optional().describe('Entries from this time on.'),
        to: queryTimeMs.optional().describe('Entries before this time.'),
        operator: z.string().max(40).optional().describe('Entries of this operator.'),
      }),
    },
    response: listOf(auditRecord),
    errors: ['invalid_cursor'],
    async handle(services, { query }) {
      const { limit, cursor, operator, from = null, to = null } = query;
      const parts = partsOf(services, 'audit');
      const position = parts.begin(cursor);
      const found = await services.auditStore.list({
        operator,
        fromMs: from,
        toMs: to,
        limit: limit + 1,
        after: position === null ? null : (JSON.parse(position) as AuditPosition),
      });
      const { items, pagination } = parts.take(found, limit, positionOf);
      return { items, nextCursor: pagination.nextCursor };
    },
  }),
];

const positionOf = ({ auditId, atMs }: AuditPosition) => JSON.stringify({ auditId, atMs });
