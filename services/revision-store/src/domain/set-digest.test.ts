import { setDigest } from './set-digest.ts';

function run(lines: readonly string[]): { digest: string; pauses: number } {
  const computation = setDigest(lines);
  for (let pauses = 0; ; pauses += 1) {
    const step = computation.next();
    if (step.done) return { digest: step.value, pauses };
  }
}

const lines = Array.from({ length: 12_345 }, (_, index) => `asset ${index * 7919}`);

describe('The digest of a set', () => {
  it('does not depend on the order in which a scan met its assets', () => {
    const reversed = lines.toReversed();
    const odd = [
      ...lines.filter((_, at) => at % 2 === 1),
      ...lines.filter((_, at) => at % 2 === 0),
    ];

    expect(run(reversed).digest).toBe(run(lines).digest);
    expect(run(odd).digest).toBe(run(lines).digest);
  });

  it('is the one that heads are stored with', () => {
    const stored = 'F3oOOshHDbVOq9dFfFsn0ymsUji_WksKZcOtSbuBG4k';
    expect(run(lines).digest).toBe(stored);
  });

  it('changes when one line of many is different, missing or added', () => {
    const { digest } = run(lines);

    expect(run(lines.with(777, 'asset x')).digest).not.toBe(digest);
    expect(run(lines.slice(1)).digest).not.toBe(digest);
    expect(run([...lines, 'asset x']).digest).not.toBe(digest);
  });

  it('has a digest for nothing at all, which is not that of an empty line', () => {
    expect(run([]).digest).toBe(run([]).digest);
    expect(run([]).digest).not.toBe(run(['a']).digest);
  });

  it('has the lines of one part in memory at a time', () => {
    let made = 0;
    const counted = {
      length: lines.length,
      at: (index: number) => {
        made += 1;
        return lines[index];
      },
    };
    const computation = setDigest(counted);
    const perPause: number[] = [];
    for (let step = computation.next(); !step.done; step = computation.next()) {
      perPause.push(made - perPause.reduce((sum, count) => sum + count, 0));
    }

    expect(made).toBe(2 * lines.length);
    expect(Math.max(...perPause.slice(-12))).toBeLessThan(1_200);
  });

  it('pauses often enough for other work to run', () => {
    expect(run(lines).pauses).toBeGreaterThanOrEqual(13);
  });
});
