import { createLogger } from '@inventory/runtime/logger';
import { createAudit, namedIn } from './audit.ts';

function linesAt(level: string): string[] {
  const lines: string[] = [];
  const destination = { write: (line: string) => void lines.push(line) };
  const audit = createAudit(createLogger({ service: 'gateway', level, destination }));
  audit({
    requestId: 'req_1',
    action: 'account.suspend',
    target: { account_id: 'acc_1' },
    change: {},
    end: { outcome: 'done' },
  });
  return lines;
}

test.each(['trace', 'info', 'warn', 'error', 'fatal'])(
  'a change is audited when the log is at %s',
  (level) => {
    const [line = ''] = linesAt(level);
    expect(JSON.parse(line).audit).toEqual({
      action: 'account.suspend',
      account_id: 'acc_1',
      outcome: 'done',
    });
  },
);

test('a silenced process writes nothing', () => {
  expect(linesAt('silent')).toEqual([]);
});

test('of an answer only its ids are audited, never its secret', () => {
  const answer = { credential_id: 'cred_1', secret: 'inv_x', balance: { total: 1 } };
  expect(namedIn(answer)).toEqual({ credential_id: 'cred_1' });
  expect(namedIn(undefined)).toEqual({});
});
