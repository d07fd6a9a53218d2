import type { accountUsage, accountView } from '@inventory/contracts/http/account';
import { currentPage } from '@inventory/contracts/http/current';
import type { errorMeta } from '@inventory/contracts/http/error-body';
import type { livePage } from '@inventory/contracts/http/live-page';
import type { pageReadMeta, refreshAcceptanceMeta } from '@inventory/contracts/http/meta';
import type { priceView } from '@inventory/contracts/http/prices';
import type { projectEvent } from '@inventory/contracts/http/project-event';
import {
  type refreshPage,
  refreshRecord,
  type refreshStatus,
} from '@inventory/contracts/http/refresh';
import type { acceptedBatchItem } from '@inventory/contracts/http/refresh-batch';
import type { StatementRow as WireStatementRow } from '@inventory/contracts/internal/ledger';
import { currentData, finished, record } from '../test/answers.ts';
import type { Account, PriceList, StatementRow, Usage } from './account-records.ts';
import type { ProjectEvent } from './event-records.ts';
import type { CurrentPage, LivePage, Meta, RefreshPage, RefreshRecord } from './records.ts';

type Sent<Schema extends { parse(input: unknown): unknown }> = ReturnType<Schema['parse']>;

/** Compiles only while everything the service may answer is something the client's type allows. */
type Answers<Wire extends Client, Client> = Wire;
export type Kept = [
  Answers<Sent<typeof refreshRecord>, RefreshRecord>,
  Answers<Sent<typeof refreshStatus>, RefreshRecord>,
  Answers<Sent<typeof refreshPage>, RefreshPage>,
  Answers<Sent<typeof livePage>, LivePage>,
  Answers<Omit<Sent<typeof currentPage>, Loose>, Omit<CurrentPage, Loose>>,
  Answers<Sent<typeof refreshAcceptanceMeta>, Meta>,
  Answers<Sent<typeof pageReadMeta>, Meta>,
  Answers<Sent<typeof errorMeta>, Meta>,
  Answers<Sent<typeof acceptedBatchItem>['data'], RefreshRecord>,
  Answers<Sent<typeof acceptedBatchItem>['meta'], Omit<Meta, 'request_id'>>,
  Answers<Sent<typeof accountView>, Account>,
  Answers<Sent<typeof accountUsage>, Usage>,
  Answers<Sent<typeof priceView>, PriceList>,
  Answers<WireStatementRow, StatementRow>,
  Answers<Sent<typeof projectEvent>, ProjectEvent>,
];
/** Rows whose contract names fewer fields, and the amount that the client reads digit by digit. */
type Loose = 'assets' | 'descriptions' | 'total_amount';

test('what the tests of this client answer is what the service may answer', () => {
  for (const sample of [record(), finished(), finished('private')]) {
    expect(refreshRecord.safeParse(sample).error?.issues).toBeUndefined();
  }
  expect(currentPage.safeParse(currentData(3, 2, 0)).error?.issues).toBeUndefined();
});
