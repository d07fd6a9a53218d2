import type {
  Account,
  Prices,
  Project,
  StatementPage,
  StatementRow,
  Usage,
} from './account-records.ts';
import type { CallApi } from './call-api.ts';
import type { CallOptions, StatementOptions, UsageOptions } from './options.ts';
import { pathToProject, withQuery } from './paths.ts';
import { dataOf, itemsIn } from './read-records.ts';
import { walkItems } from './walk-pages.ts';

/** All of these calls are free. */
export interface AccountCalls {
  prices(options?: CallOptions): Promise<Prices>;
  /** Balance, funding, limits, and the permissions of the Credential. */
  account(options?: CallOptions): Promise<Account>;
  /** The Project of the Credential: its name, and what the Credential may do. */
  project(projectId: string, options?: CallOptions): Promise<Project>;
  usage(options?: UsageOptions): Promise<Usage>;
  /** One page of the account's entries, oldest first. */
  statementPage(options?: StatementOptions): Promise<StatementPage>;
  statement(options?: StatementOptions): AsyncGenerator<StatementRow, void, void>;
}

export function createAccountCalls(callApi: CallApi): AccountCalls {
  const get = (path: string, options: CallOptions) => callApi({ method: 'GET', path }, options);

  async function statementPage(options: StatementOptions = {}): Promise<StatementPage> {
    const { limit, cursor, bookedFrom: from, bookedTo: to } = options;
    const path = withQuery('/v2/account/statement', { from, to, limit, cursor });
    return itemsIn<StatementRow>(await get(path, options));
  }

  return {
    prices: async (options = {}) =>
      dataOf<Prices>(await get('/v2/prices', options), 'price_version'),
    account: async (options = {}) =>
      dataOf<Account>(await get('/v2/account', options), 'account_id'),
    project: async (projectId, options = {}) =>
      dataOf<Project>(await get(pathToProject(projectId), options), 'project_id'),
    async usage(options = {}) {
      const { from, to, projectId } = options;
      const path = withQuery('/v2/account/usage', { from, to, projectId });
      return dataOf<Usage>(await get(path, options), 'items');
    },
    statementPage,
    statement: (options = {}) =>
      walkItems((cursor) => statementPage({ ...options, cursor }), options.cursor),
  };
}
