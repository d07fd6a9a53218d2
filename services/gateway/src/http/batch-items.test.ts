import { Refused } from '@inventory/http/refused';
import { newRequestId } from '@inventory/testkit/builders';
import { only } from '@inventory/testkit/only';
import { itemRefusal } from './batch-items.ts';

test('of the items of a batch that fail, only a fault of ours is logged (observability: faults are logged once)', () => {
  const logged: unknown[] = [];
  const logger = { warn: (_fields: unknown, text?: string) => logged.push(text) };
  const refuse = (error: Error) =>
    itemRefusal(error, only({ requestId: newRequestId() }), only(logger)).code;

  const codes = [new Error('planted'), new Refused({ code: 'watch_not_found' })].map(refuse);

  expect(codes).toEqual(['internal_error', 'watch_not_found']);
  expect(logged).toEqual(['batch item failed: internal_error']);
});
