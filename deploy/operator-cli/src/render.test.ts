import { renderAnswer } from './render.ts';

test('a list is a table with one line per item and names the command for the next page', () => {
  const items = [
    { id: 'a', name: 'Long name', policy: ['10.0.0.0/8', '::/0'] },
    { id: 'bb', name: null, policy: null },
  ];

  expect(renderAnswer({ items, next_cursor: 'xyz' }, ['id', 'name', 'policy'])).toBe(
    [
      'ID  NAME       POLICY',
      'a   Long name  10.0.0.0/8, ::/0',
      'bb  -          -',
      '',
      'more: --cursor xyz',
      '',
    ].join('\n'),
  );
});

test('an empty list says so', () => {
  expect(renderAnswer({ items: [], next_cursor: null }, ['id'])).toBe('none\n');
});

test('anything else is one line per field, with what is nested below it', () => {
  const answer = {
    account_id: 'acc_1',
    balance: { total: 5, held: 0 },
    problems: [],
    balances: [{ asset: 'credits', total: 5 }],
  };

  expect(renderAnswer(answer, undefined)).toBe(
    [
      'account_id     acc_1',
      'balance.total  5',
      'balance.held   0',
      'problems       none',
      '',
      'balances:',
      'ASSET    TOTAL',
      'credits  5',
      '',
    ].join('\n'),
  );
});
