import { checkOptions } from './arguments.ts';
import type { CallApi } from './call-api.ts';
import type { ClientEnvironment } from './client-environment.ts';
import type { ChangesOptions, Keyed } from './options.ts';
import { paidRead } from './paid-read.ts';
import { checkedRevision, inventoryPath, withQuery } from './paths.ts';
import { changesPageIn } from './read-records.ts';
import type { ChangesPage, PageAnswer, Scope } from './records.ts';
import { walkPages } from './walk-pages.ts';

/**
 * Every page is charged once: a retry has the key of the first attempt. No difference is one page,
 * free. Rejects with `CursorExpiredError` where the revision is too old: `detail.revision_id` is the
 * latest one, to be read anew.
 */
export interface ChangesCalls {
  /** One page of what changed since a revision. */
  changesPage(
    scope: Scope,
    since: string,
    options?: Keyed<ChangesOptions>,
  ): Promise<PageAnswer<ChangesPage>>;
  /**
   * Every page of what changed, up to the revision that is the latest one when the first is read:
   * `to_revision_id` is where the next call continues once all are applied.
   */
  changes(
    scope: Scope,
    since: string,
    options?: ChangesOptions,
  ): AsyncGenerator<PageAnswer<ChangesPage>, void, void>;
}

export function createChangesCalls(callApi: CallApi, { newKey }: ClientEnvironment): ChangesCalls {
  const changesPage: ChangesCalls['changesPage'] = async (scope, since, options = {}) => {
    const { language, pageSize, cursor, idempotencyKey = newKey() } = options;
    const path = withQuery(`${inventoryPath(scope)}/changes`, {
      since: checkedRevision(since),
      language,
      pageSize,
      cursor,
    });
    return changesPageIn(await callApi(paidRead(path, idempotencyKey), options));
  };

  return {
    changesPage,
    changes(scope, since, options = {}) {
      checkOptions(options);
      const { language, pageSize, deadlineMs, signal } = options;
      return walkPages(
        (cursor) => changesPage(scope, since, { language, pageSize, deadlineMs, signal, cursor }),
        ({ page }) => page.pagination,
        options.cursor ?? null,
      );
    },
  };
}
