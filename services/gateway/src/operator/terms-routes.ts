import { projectPath } from '@inventory/contracts/http/parameters';
import { accountTerms, ledgerApi } from '@inventory/contracts/internal/ledger';
import type { FundingSetting } from '@inventory/contracts/messages/billing';
import { z } from 'zod';
import { setTerms } from './ledger-commands.ts';
import { operatorRoute, sameAs } from './operator-route.ts';
import {
  accountPath,
  bookingHeaders,
  credentialPath,
  creditsMax,
  optionalReason,
} from './operator-schemas.ts';

const tag = 'Terms';
const onceByKey = 'The same `idempotency-key` again changes nothing.';
const fundingBody = z.discriminatedUnion('mode', [
  z.strictObject({ mode: z.literal('credits'), reason: optionalReason }),
  z.strictObject({
    mode: z.literal('subscription'),
    units_per_month: z.int().min(1).max(creditsMax),
    reason: optionalReason,
  }),
]);

function fundingOf(body: z.output<typeof fundingBody>): FundingSetting {
  if (body.mode === 'credits') return { mode: 'credits' };
  return { mode: 'subscription', unitsPerMonth: body.units_per_month };
}

const spendCapBody = z.strictObject({
  cap: z.int().min(0).max(creditsMax).nullable().describe('Null for none.'),
  reason: optionalReason,
});

/** How an account pays, and what its Projects and Credentials may spend. */
export const termsRoutes = [
  operatorRoute({
    ...sameAs(ledgerApi.readTerms),
    operationId: 'readTerms',
    command: 'terms',
    tag,
    summary: 'How an account pays: funding, spend caps, balance alert',
    role: 'read',
    errors: ['account_not_found'],
    async handle({ tenancy, ledger }, { path }) {
      await tenancy.requireAccount(path.accountId);
      return ledger.readTerms(path.accountId);
    },
  }),
  operatorRoute({
    operationId: 'setFunding',
    command: 'funding set',
    tag,
    summary: 'Let an account pay with prepaid credits or with monthly subscription units',
    description: onceByKey,
    method: 'PUT',
    path: '/accounts/{account_id}/funding',
    role: 'billing',
    action: 'account.funding',
    input: { path: accountPath, header: bookingHeaders, body: fundingBody },
    response: accountTerms,
    errors: ['account_not_found', 'idempotency_conflict', 'billing_unavailable'],
    handle: (deps, { path, header, body }) =>
      setTerms(deps, {
        accountId: path.accountId,
        change: { sets: 'funding', funding: fundingOf(body) },
        reason: body.reason,
        idempotencyKey: header['idempotency-key'],
      }),
  }),
  operatorRoute({
    operationId: 'setSpendCap',
    command: 'spend-cap set',
    tag,
    summary: 'Limit what a Project may spend in a UTC month, open reservations included',
    description: `\`cap: null\` removes the limit. ${onceByKey}`,
    method: 'PUT',
    path: '/projects/{project_id}/spend-cap',
    role: 'billing',
    action: 'project.spend-cap',
    input: { path: projectPath, header: bookingHeaders, body: spendCapBody },
    response: accountTerms,
    errors: ['project_not_found', 'idempotency_conflict', 'billing_unavailable'],
    async handle(deps, { path, header, body: { cap, reason } }) {
      const project = await deps.tenancy.requireProject(path.projectId);
      return setTerms(deps, {
        accountId: project.accountId,
        change: { sets: 'spend_cap', projectId: project.projectId, cap },
        reason,
        idempotencyKey: header['idempotency-key'],
      });
    },
  }),
  operatorRoute({
    operationId: 'setCredentialSpendCap',
    command: 'credential spend-cap',
    tag,
    summary: 'Limit what is bought with a Credential in a UTC month, open reservations included',
    description: `\`cap: null\` removes the limit. ${onceByKey}`,
    method: 'PUT',
    path: '/credentials/{credential_id}/spend-cap',
    role: 'billing',
    action: 'credential.spend-cap',
    input: { path: credentialPath, header: bookingHeaders, body: spendCapBody },
    response: accountTerms,
    errors: ['credential_not_found', 'idempotency_conflict', 'billing_unavailable'],
    async handle(deps, { path, header, body: { cap, reason } }) {
      const { accountId, credentialId } = await deps.tenancy.requireCredential(path.credentialId);
      return setTerms(deps, {
        accountId,
        change: { sets: 'credential_spend_cap', credentialId, cap },
        reason,
        idempotencyKey: header['idempotency-key'],
      });
    },
  }),
];
