import { readCommandLine } from './command-line.ts';

test.each([
  [[], { kind: 'start', demo: true }],
  [['--no-demo'], { kind: 'start', demo: false }],
  [['--demo-only'], { kind: 'show' }],
  [['--help'], { kind: 'help' }],
  [['-h', '--no-demo'], { kind: 'help' }],
])('%p means %p', (args, meaning) => {
  expect(readCommandLine(args)).toEqual(meaning);
});

test.each([[['--nodemo']], [['demo']], [['--no-demo=1']]])(
  'a mistake like %p is reported',
  (args) => {
    expect(readCommandLine(args)).toMatchObject({ kind: 'wrong' });
  },
);
