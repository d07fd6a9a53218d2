import {
  credentialsMax,
  credentialsPerDayMax,
  type newCredential,
} from '@inventory/contracts/http/credentials';
import type { CredentialId, ProjectId } from '@inventory/contracts/ids';
import { Refused } from '@inventory/http/refused';
import { invariant } from '@inventory/runtime/bug';
import type { Clock } from '@inventory/runtime/clock';
import type { Logger } from '@inventory/runtime/logger';
import type { z } from 'zod';
import { configureAccount } from '../accounts/configure-account.ts';
import type { LedgerClient } from '../accounts/ledger-client.ts';
import type { RequestReplyClient } from '../commands/request-reply-client.ts';
import type { WriteAuditLine } from '../http/audit-lines.ts';
import type { AdmittedRequest } from '../http/public-response.ts';
import type { CursorSealer } from '../http/sealed-cursor.ts';
import {
  issueOnce,
  type KeyedCredentialServices,
  keyedCredential,
  type ShownCredential,
} from '../secrets/keyed-credentials.ts';
import { requireFuture } from '../tenancy/credentials.ts';
import type { Tenancy } from '../tenancy/open-tenancy.ts';
import { buyerOf, type Principal } from '../tenancy/principal.domain.ts';
import { type Credential, includesAuthority, notDelegable } from '../tenancy/tenancy.domain.ts';

export interface CredentialServices extends KeyedCredentialServices {
  readonly writeAuditLine: WriteAuditLine;
  readonly cursors: CursorSealer;
  readonly clock: Clock;
  readonly ledger: LedgerClient;
  readonly commands: RequestReplyClient;
  readonly logger: Logger;
  readonly decisionTimeoutMs: number;
}

/**
 * Issues a Credential in the Project of the caller with at most what the caller's own may do: its
 * Service account and network policy, and no later end. Under a key that was used before it shows the
 * Credential of the key, to a caller that could have issued it.
 */
export async function issueOwnCredential(
  services: CredentialServices,
  request: AdmittedRequest,
  wanted: z.output<typeof newCredential>,
  key: string | undefined,
): Promise<ShownCredential> {
  const { tenancy, clock } = services;
  const { principal } = request;
  const { projectId } = principal;
  const own = await ownCredential(tenancy, principal);
  const keyed = keyedCredential(
    key,
    ['credential.issue', projectId],
    wanted,
    principal.environment,
  );
  return await issueOnce(services, keyed, {
    requireShown: (credential) => requireIncluded(own, credential),
    async begin() {
      const { serviceAccountId, networkPolicy } = own;
      const { name, scopes, expiresAtMs = own.expiresAtMs } = wanted;
      requireFuture(expiresAtMs, clock.now());
      const authority = { serviceAccountId, networkPolicy, scopes, expiresAtMs };
      requireIncluded(own, authority);
      await requireBelowLimits(tenancy, projectId, clock.now());
      const most = await ownCap(services, principal);
      const { spendCap = most } = wanted;
      requireNoMore(most, spendCap);
      return async (credentialId) => {
        // Before it can be used. A cap of no Credential is in nobody's way.
        if (spendCap !== null) await setSpendCap(services, request, credentialId, spendCap);
        return { projectId, name, ...authority };
      };
    },
  });
}

/** The spend cap of the caller; null where it has none. */
async function ownCap({ ledger }: CredentialServices, principal: Principal) {
  const { credentialSpendCap: own } = await ledger.readFunds(buyerOf(principal));
  return own?.cap ?? null;
}

/** Who has a cap sets none above it. */
function requireNoMore(most: number | null, cap: number | null): void {
  if (most === null || (cap !== null && cap <= most)) return;
  throw new Refused({ code: 'permission_denied', detail: { reason: 'not_delegable' } });
}

/** Throws where the cap is above that of the caller. */
export async function capCredential(
  services: CredentialServices,
  request: AdmittedRequest,
  credentialId: CredentialId,
  cap: number | null,
): Promise<void> {
  requireNoMore(await ownCap(services, request.principal), cap);
  await setSpendCap(services, request, credentialId, cap);
}

function setSpendCap(
  services: CredentialServices,
  { principal: { accountId }, requestId }: AdmittedRequest,
  credentialId: CredentialId,
  cap: number | null,
): Promise<void> {
  const change = { sets: 'credential_spend_cap', credentialId, cap } as const;
  return configureAccount(services, { accountId, requestId }, change);
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
export async function findOwnCredential(
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
