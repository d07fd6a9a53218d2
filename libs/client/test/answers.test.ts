import { changesPage } from '@inventory/contracts/http/changes';
import { currentPage } from '@inventory/contracts/http/current';
import { refreshRecord } from '@inventory/contracts/http/refresh';
import { changesData, currentData, finished, record } from './answers.ts';

test('the responses of these tests satisfy the contract of the service', () => {
  for (const sample of [record(), finished(), finished('private')]) {
    expect(refreshRecord.safeParse(sample).error?.issues).toBeUndefined();
  }
  expect(currentPage.safeParse(currentData(3, 2, 0)).error?.issues).toBeUndefined();
  expect(changesPage.safeParse(changesData(3, 2, 0)).error?.issues).toBeUndefined();
});
