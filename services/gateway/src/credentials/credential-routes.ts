import {
  credentialList,
  credentialRecord,
  credentialRotation,
  credentialsMax,
  credentialsPerDayMax,
  credentialsQuery,
  endedCredentialKeepDays,
  issuedCredential,
  newCredential,
  ownCredentialPath,
} from '@inventory/contracts/http/credentials';
import { projectPath } from '@inventory/contracts/http/parameters';
import { type CredentialId, credentialId, type ProjectId } from '@inventory/contracts/ids';
import { Refused } from '@inventory/http/refused';
import { invariant } from '@inventory/runtime/bug';
import type { Clock } from '@inventory/runtime/clock';
import { z } from 'zod';
import type { AdmittedRequest } from '../http/answer.ts';
import type { WriteAuditLine } from '../http/audit-lines.ts';
import { dataRoute, partOf } from '../http/data-route.ts';
import { exampleIds } from '../http/openapi/examples.ts';
import { nextPart, sameProject } from '../http/openapi/links.ts';
import { type CursorSealer, listParts } from '../http/sealed-cursor.ts';
import { type IssuedCredential, requireFuture } from '../tenancy/credentials.ts';
import type { Tenancy } from '../tenancy/open-tenancy.ts';
import type { Principal } from '../tenancy/principal.domain.ts';
import { type Credential, includesAuthority, notDelegable } from '../tenancy/tenancy.domain.ts';
import { credentialView, issuedView } from '../tenancy/tenancy-views.ts';

export interface CredentialServices {
  readonly tenancy: Tenancy;
  readonly writeAuditLine: WriteAuditLine;
  readonly cursors: CursorSealer;
  readonly clock: Clock;
}

/** Of every operation on Credentials. */
const credentialOperation = {
  tag: 'Credentials',
  permission: 'customer.credentials.manage.v1',
} as const;
const credentialsTemplate = '/v2/projects/{project_id}/credentials';
const secretShownOnce = 'The secret is shown in this response only.';

const credentialExample: z.input<typeof credentialRecord> = {
  credential_id: exampleIds.credential,
  project_id: exampleIds.project,
  account_id: exampleIds.account,
  service_account_id: exampleIds.serviceAccount,
  name: 'Price tracker',
  state: 'active',
  public_id: '02sCTjS2o0K1L7pMZ3eX4r',
  scopes: ['platform.inventory.current.page.v1'],
  expires_at: null,
  network_policy: null,
  replaced_secret_valid_until: null,
  created_at: '2026-01-15T10:00:00.000Z',
  changed_at: '2026-01-15T10:00:00.000Z',
  revoked_at: null,
};
const issuedCredentialExample = {
  ...credentialExample,
  secret: 'inv_02sCTjS2o0K1L7pMZ3eX4r_<entropy>_<checksum>',
};
const namedCredential = {
  project_id: '$response.body#/data/project_id',
  credential_id: '$response.body#/data/credential_id',
};

/** With at most the authority of the caller's. */
const issueCredentialRoute = dataRoute({
  ...credentialOperation,
  operationId: 'issueCredential',
  summary: 'New Credential',
  description:
    'Of this Project, with at most what this Credential may do: its Service account and network ' +
    'policy, no later end, and none of the permissions to manage. ' +
    `${secretShownOnce} A Project can have ${credentialsMax} active Credentials that way, and can be ` +
    `issued ${credentialsPerDayMax} within 24 hours (429 with \`detail.limit\` \`credentials_issued\`).`,
  method: 'POST',
  template: credentialsTemplate,
  input: { path: projectPath, body: newCredential },
  bodyExample: { name: credentialExample.name, scopes: credentialExample.scopes },
  answer: {
    status: 201,
    description: 'The Credential with its secret.',
    links: { rotateCredential: namedCredential, revokeCredential: namedCredential },
    data: issuedCredential,
    example: issuedCredentialExample,
  },
  errors: ['credential_limit_reached'],
  async handle({ tenancy, clock }: CredentialServices, { body }, { principal }) {
    requireFuture(body.expiresAtMs ?? null, clock.now());
    const issued = await issueOwnCredential(tenancy, principal, clock.now(), body);
    return { data: issuedView(issued, clock.now()) };
  },
});

const listCredentialsRoute = dataRoute({
  ...credentialOperation,
  operationId: 'listCredentials',
  summary: 'Credentials of a Project',
  description:
    'Oldest first, without their secrets; for ' +
    `${endedCredentialKeepDays} days also those that were revoked or have expired.`,
  method: 'GET',
  template: credentialsTemplate,
  input: { path: projectPath, query: credentialsQuery },
  answer: partOf(credentialList, credentialExample, {
    listCredentials: { ...sameProject, ...nextPart() },
  }),
  errors: ['invalid_cursor'],
  async handle(
    { tenancy, clock, cursors }: CredentialServices,
    { path: { projectId }, query: { limit, cursor } },
  ) {
    const parts = listParts(cursors, ['credentials', projectId]);
    const afterId = credentialId.nullable().parse(parts.begin(cursor));
    const found = await tenancy.listCredentials(projectId, { afterId, limit: limit + 1 });
    const { items, pagination } = parts.take(found, limit, (one) => one.credentialId);
    return { data: { items: items.map((one) => credentialView(one, clock.now())), pagination } };
  },
});

const rotateCredentialRoute = dataRoute({
  ...credentialOperation,
  operationId: 'rotateCredential',
  summary: 'Replace the secret of a Credential',
  description: `Of one that this Credential could have issued. ${secretShownOnce}`,
  method: 'POST',
  template: `${credentialsTemplate}/{credential_id}/rotate`,
  input: { path: ownCredentialPath, body: credentialRotation },
  bodyExample: { overlap_seconds: 3_600 },
  answer: {
    status: 200,
    description: 'The Credential with its new secret.',
    data: issuedCredential,
    example: issuedCredentialExample,
  },
  errors: ['credential_not_found', 'credential_revoked'],
  async handle(deps: CredentialServices, { path, body }, request) {
    const { tenancy, clock } = deps;
    const own = await findOwnCredential(tenancy, request.principal, path.credentialId);
    const { credentialId } = own;
    const overlapMs = body.overlapSeconds * 1_000;
    const issued = await tenancy.rotateCredential({ credentialId, overlapMs });
    writeEnd(deps, request, {
      action: 'credential.rotate',
      ...z.encode(ownCredentialPath, path),
      ...z.encode(credentialRotation, body),
    });
    return { data: issuedView(issued, clock.now()) };
  },
});

const revokeCredentialRoute = dataRoute({
  ...credentialOperation,
  operationId: 'revokeCredential',
  summary: 'End a Credential, at once and for good',
  description:
    'One that this Credential could have issued. Repeating it is safe, for ' +
    `${endedCredentialKeepDays} days.`,
  method: 'DELETE',
  template: `${credentialsTemplate}/{credential_id}`,
  input: { path: ownCredentialPath },
  answer: {
    status: 200,
    description: 'The Credential is revoked.',
    data: credentialRecord,
    example: { ...credentialExample, state: 'revoked', revoked_at: '2026-01-20T10:00:00.000Z' },
  },
  errors: ['credential_not_found'],
  async handle(deps: CredentialServices, { path }, request) {
    const { tenancy, clock } = deps;
    const own = await findOwnCredential(tenancy, request.principal, path.credentialId);
    const revoked = await tenancy.revokeCredential(own.credentialId);
    writeEnd(deps, request, { action: 'credential.revoke', ...z.encode(ownCredentialPath, path) });
    return { data: credentialView(revoked, clock.now()) };
  },
});

/** The end of a secret is in the log, as after a restore it has to end again. */
function writeEnd(
  { writeAuditLine }: CredentialServices,
  { principal, requestId }: AdmittedRequest,
  change: { readonly action: string; readonly [field: string]: unknown },
): void {
  const by = { operator: null, by_credential_id: principal.credentialId };
  writeAuditLine({ ...by, ...change, outcome: 'done' }, requestId);
}

/** The Credentials of the own Project, in the order of the reference. */
export const credentialRoutes = [
  issueCredentialRoute,
  listCredentialsRoute,
  rotateCredentialRoute,
  revokeCredentialRoute,
];

/**
 * Issues a Credential in the Project of the caller with at most what the caller's own may do: its
 * Service account and network policy, and no later end.
 */
async function issueOwnCredential(
  tenancy: Tenancy,
  principal: Principal,
  nowMs: number,
  wanted: z.output<typeof newCredential>,
): Promise<IssuedCredential> {
  const own = await ownCredential(tenancy, principal);
  const { serviceAccountId, networkPolicy } = own;
  const { name, scopes, expiresAtMs = own.expiresAtMs } = wanted;
  const authority = { serviceAccountId, networkPolicy, scopes, expiresAtMs };
  requireIncluded(own, authority);
  const { projectId } = principal;
  await requireBelowLimits(tenancy, projectId, nowMs);
  return await tenancy.issueCredential({ projectId, name, ...authority });
}

const dayMs = 24 * 3_600_000;

/** Requests at the same time can exceed both limits, by their number. */
async function requireBelowLimits(
  tenancy: Tenancy,
  projectId: ProjectId,
  nowMs: number,
): Promise<void> {
  const issuedAtMs = await tenancy.credentialIssuedAtMs(projectId, credentialsPerDayMax - 1);
  const waitMs = issuedAtMs === null ? 0 : issuedAtMs + dayMs - nowMs;
  if (waitMs > 0) {
    throw new Refused({
      code: 'rate_limit_exceeded',
      detail: { limit: 'credentials_issued', per_day: credentialsPerDayMax },
      retry_after_seconds: Math.ceil(waitMs / 1_000),
    });
  }
  const active = await tenancy.countActiveCredentials(projectId, nowMs, credentialsMax);
  if (active >= credentialsMax) {
    throw new Refused({ code: 'credential_limit_reached', detail: { limit: credentialsMax } });
  }
}

/** A Credential of the caller's Project that the caller could have issued. */
async function findOwnCredential(
  tenancy: Tenancy,
  principal: Principal,
  id: CredentialId,
): Promise<Credential> {
  const found = await tenancy.findCredential(id);
  if (found?.projectId !== principal.projectId) throw new Refused({ code: 'credential_not_found' });
  requireIncluded(await ownCredential(tenancy, principal), found);
  return found;
}

function requireIncluded(own: Credential, wanted: Parameters<typeof includesAuthority>[1]): void {
  if (includesAuthority(own, wanted)) return;
  const permission = notDelegable(own.scopes, wanted.scopes);
  const lacks = permission && permission !== '*' && { permission };
  throw new Refused({
    code: 'permission_denied',
    detail: { reason: 'not_delegable', ...lacks },
  });
}

async function ownCredential(tenancy: Tenancy, { credentialId }: Principal): Promise<Credential> {
  const own = await tenancy.findCredential(credentialId);
  invariant(own !== null, `a Principal of no Credential, ${credentialId}`);
  return own;
}
