import { Refused } from '@inventory/http/refused';
import type { Announce, ChangedThing } from './announce-changes.ts';
import type { Announcement } from './tenancy-store.ts';

/** The part of a store that a change of one of its things takes. */
interface ChangedStore<Thing extends { readonly id: string }, Changes> {
  require(id: Thing['id']): Promise<Thing>;
  change(id: Thing['id'], changes: Changes, announcement: Announcement): Promise<boolean>;
}

/**
 * Changes things of one kind: sets the given fields; the others stay, also under concurrent changes.
 * Only a revoked Credential is found and immutable.
 */
export function changesOf<
  Thing extends { readonly id: string; readonly changedAtMs: number },
  Changes extends object,
>(
  store: ChangedStore<Thing, Changes>,
  announce: Announce,
  nameOf: (thing: Thing) => ChangedThing,
): (id: Thing['id'], changes: Changes) => Promise<Thing> {
  return async (id, changes) => {
    const found = await store.require(id);
    const changed = await announce(nameOf(found), async (announcement) => {
      const isWritten = await store.change(id, changes, announcement);
      return isWritten ? { ...found, ...changes, changedAtMs: announcement.atMs } : null;
    });
    if (changed === null) throw new Refused({ code: 'credential_revoked' });
    return changed;
  };
}
