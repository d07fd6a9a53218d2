import type {
  AccountId,
  CredentialId,
  ProjectId,
  ServiceAccountId,
} from '@inventory/contracts/ids';
import type { MessageBody } from '@inventory/contracts/messages';
import { type Clock, isoTime } from '@inventory/runtime/clock';
import type { Identifiers } from '@inventory/runtime/identifiers';
import { digitsKept } from './digest-set.domain.ts';
import type { Announcement } from './tenancy-store.ts';

export type AuthorityChange = MessageBody<'authority.changed.v1'>;

interface ChangedThing {
  readonly accountId: AccountId;
  readonly projectId?: ProjectId;
  readonly serviceAccountId?: ServiceAccountId;
  readonly credentialId?: CredentialId;
  /** Of a secret that the change has issued. */
  readonly newSecretDigest?: string;
}

/** Publishes changes: first as a message inside the changed document, then to every replica. */
export interface ChangeAnnouncer {
  /** The message to store with the change. */
  createAnnouncement(thing: ChangedThing): Announcement;
  /**
   * Called when the change is stored: invalidates the cache of this replica and publishes the
   * message.
   */
  publishChange(thing: ChangedThing): Promise<void>;
}

export function createAnnouncer(deps: {
  readonly clock: Clock;
  readonly identifiers: Identifiers;
  readonly invalidate: (change: Pick<AuthorityChange, 'account_id' | 'new_secret'>) => void;
  /**
   * Publishes the pending message of the changed document; never rejects, and is bounded in time.
   */
  readonly relay: (thing: ChangedThing) => Promise<void>;
}): ChangeAnnouncer {
  return {
    createAnnouncement(thing) {
      const atMs = deps.clock.now();
      const body: AuthorityChange = {
        account_id: thing.accountId,
        project_id: thing.projectId ?? null,
        credential_id: thing.credentialId ?? null,
        at: isoTime(atMs),
        ...newSecretOf(thing),
      };
      const id = `authority-changed:${deps.identifiers.uuidV7()}`;
      return { message: { type: 'authority.changed.v1', id, body }, atMs };
    },
    async publishChange(thing) {
      deps.invalidate({ account_id: thing.accountId, ...newSecretOf(thing) });
      await deps.relay(thing);
    },
  };
}

function newSecretOf({ newSecretDigest: digest }: ChangedThing): { new_secret?: string } {
  return digest === undefined ? {} : { new_secret: digest.slice(0, digitsKept) };
}
