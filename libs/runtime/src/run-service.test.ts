import { closeSync, existsSync, openSync } from 'node:fs';
import { join } from 'node:path';
import { type Program, startProgram } from '@inventory/testkit/typescript-program';

const file = join(__dirname, '../test/service-program.ts');
let program: Program;

afterEach(() => program.kill('SIGKILL'));

function start(...args: string[]): void {
  program = startProgram({ file, args });
}

/** The order in which resources were closed. */
function closed(): string[] {
  return program.output().match(/^\w+ closed$/gm) ?? [];
}

test.each(['SIGTERM', 'SIGINT'] as const)(
  'on %s a service closes what it opened, last first, and ends with 0',
  async (signal) => {
    start('obedient');
    await program.line(/"msg":"ready"/);

    program.kill(signal);

    expect(await program.ended).toEqual({ code: 0, signal: null });
    expect(closed()).toEqual(['consumer closed', 'store closed']);
  },
);

test('a close that hangs gets its share of the deadline, then the next resource is closed', async () => {
  start('stuck', '900');
  await program.line(/"msg":"ready"/);

  program.kill('SIGTERM');

  expect(await program.ended).toEqual({ code: 0, signal: null });
  expect(closed()).toEqual(['store closed']);
  expect(program.output()).toContain('closing consumer took longer than 300 ms');
});

test('a second signal ends a hanging stop at once', async () => {
  start('stuck', '3600000');
  await program.line(/"msg":"ready"/);
  program.kill('SIGTERM');
  await program.line(/"msg":"stopping"/);

  program.kill('SIGTERM');

  expect(await program.ended).toEqual({ code: 1, signal: null });
  expect(closed()).toEqual([]);
});

test('an open handle of a library does not keep a stopped service alive', async () => {
  start('leaky');
  await program.line(/"msg":"ready"/);

  program.kill('SIGTERM');

  expect(await program.ended).toEqual({ code: 0, signal: null });
  expect(program.output()).toContain('"msg":"stopped"');
});

test('a service whose start fails closes its resources, logs the error and ends with 1', async () => {
  start('stillborn');

  expect(await program.ended).toEqual({ code: 1, signal: null });
  expect(closed()).toEqual(['consumer closed', 'store closed']);
  expect(program.output()).toContain('no store');
});

test('an unhandled rejection stops the service in order and ends it with 1', async () => {
  start('crashing');

  expect(await program.ended).toEqual({ code: 1, signal: null });
  expect(closed()).toEqual(['consumer closed', 'store closed']);
  expect(program.output()).toContain('"msg":"unhandledRejection"');
});

const withFullDevice = existsSync('/dev/full') ? test : test.skip;

withFullDevice(
  'a full disk under its log neither ends a service nor keeps it from its end',
  async () => {
    const log = openSync('/dev/full', 'w');
    program = startProgram({ file, args: ['talkative'], standardOutput: log });

    expect(await program.ended).toEqual({ code: 1, signal: null });
    expect(program.output()).toMatch(/^[1-9]\d* lines dropped\nconsumer closed\nstore closed\n$/);
    closeSync(log);
  },
);

withFullDevice(
  'a full disk under its standard error does not end a service that Node warns',
  async () => {
    const log = openSync('/dev/full', 'w');
    const outputs = { standardOutput: log, standardError: log };
    program = startProgram({ file, args: ['warned'], ...outputs });

    expect(await program.ended).toEqual({ code: 0, signal: null });
    closeSync(log);
  },
);
