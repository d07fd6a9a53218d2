import { createLogger } from '@inventory/runtime/logger';
import { only } from '@inventory/testkit/only';
import { type Audit, createAudit, namedIn } from './audit.ts';
import type { AuditEntry } from './audit-store.ts';

const call = {
  requestId: 'req_1' as const,
  operator: 'alice',
  peer: '192.0.2.1',
  method: 'POST',
  path: '/operator/v1/accounts/acc_1',
};
const change = { action: 'account.change', parameters: { account_id: 'acc_1' } };

interface Written {
  readonly audit: Audit;
  readonly lines: string[];
  readonly entries: AuditEntry[];
}

function auditAt(level: string, isStored: (entry: AuditEntry) => boolean = () => true): Written {
  const lines: string[] = [];
  const entries: AuditEntry[] = [];
  const audit = createAudit({
    store: only({
      async append(entry) {
        if (!isStored(entry)) throw new Error('the store is unavailable');
        entries.push(entry);
      },
    }),
    clock: { now: () => 7 },
    identifiers: { uuidV7: () => String(entries.length) },
    logger: createLogger({
      service: 'gateway',
      level,
      destination: { write: (line) => void lines.push(line) },
    }),
  });
  return { audit, lines, entries };
}

test('a change is in the audit before its effect, and again with its outcome', async () => {
  const { audit, entries } = auditAt('info');
  let atEffect: readonly AuditEntry[] = [];

  await audit.change(call, change, async () => {
    atEffect = [...entries];
    return { account_id: 'acc_1', secret: 'inv_x' };
  });

  const started = { ...call, ...change, auditId: 'aud_0', atMs: 7, kind: 'started', outcome: null };
  expect(atEffect).toEqual([started]);
  const ended = { ...started, auditId: 'aud_1', kind: 'ended', outcome: 'done' };
  expect(entries).toEqual([started, ended]);
});

test('without its entry a change has no effect', async () => {
  const { audit } = auditAt('info', () => false);
  const effect = jest.fn();

  await expect(audit.change(call, change, effect)).rejects.toThrow('unavailable');

  expect(effect).not.toHaveBeenCalled();
});

test('a change that fails ends with its code, and one whose end is not stored keeps its result', async () => {
  const failing = auditAt('info');
  const fails = () => Promise.reject(new TypeError('broken'));
  await expect(failing.audit.change(call, change, fails)).rejects.toThrow('broken');
  expect(failing.entries.map(({ outcome }) => outcome)).toEqual([null, 'internal_error']);

  const { audit, lines } = auditAt('error', ({ kind }) => kind !== 'ended');
  expect(await audit.change(call, change, async () => 'result')).toBe('result');
  expect(lines.map((line) => JSON.parse(line).msg)).toEqual([
    'audit',
    'the end of a change is not audited',
  ]);
});

test.each(['trace', 'info', 'warn', 'error', 'fatal'])(
  'a change is logged when the log is at %s',
  async (level) => {
    const { audit, lines } = auditAt(level);
    await audit.change(call, change, async () => undefined);

    expect(JSON.parse(lines[0] ?? '').audit).toEqual({
      operator: 'alice',
      action: 'account.change',
      account_id: 'acc_1',
      outcome: 'done',
    });
  },
);

test('a silenced process writes nothing', async () => {
  const { audit, lines } = auditAt('silent');
  await audit.change(call, change, async () => undefined);

  expect(lines).toEqual([]);
});

test('of a response only its ids are audited, never its secret', () => {
  const response = { credential_id: 'cred_1', secret: 'inv_x', balance: { total: 1 } };
  expect(namedIn(response)).toEqual({ credential_id: 'cred_1' });
  expect(namedIn(undefined)).toEqual({});
});
