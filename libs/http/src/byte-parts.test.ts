import { bytesOf, joined } from './byte-parts.ts';

describe('Bytes in parts (Everything is bounded)', () => {
  it('are copied where there are several, whose memory is returned', () => {
    const parts = [Buffer.alloc(65_536, 'a'), Buffer.from('bc'), Buffer.alloc(20_000, 'd')];
    const whole = Buffer.concat(parts);

    expect(joined(parts).equals(whole)).toBe(true);
    expect(bytesOf(parts)).toBe(2);
  });

  it('are the one part that there is', () => {
    const part = Buffer.alloc(65_536, 'a');
    expect(joined([part])).toBe(part);
    expect(part.length).toBe(65_536);
  });
});
