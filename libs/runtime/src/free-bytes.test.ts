import { freeBytes } from './free-bytes.ts';

describe('The memory of bytes that are read no more (Everything is bounded)', () => {
  it('is returned at once, with that of every view of them', () => {
    const bytes = Buffer.alloc(1_000_000, 'a');
    const view = bytes.subarray(1, 10);
    const before = process.memoryUsage().arrayBuffers;

    freeBytes(bytes);
    freeBytes(bytes);

    expect(process.memoryUsage().arrayBuffers).toBeLessThanOrEqual(before - 1_000_000);
    expect([bytes.length, view.length]).toEqual([0, 0]);
  });

  it.each([16, 16_384, 65_536])('is returned of %i bytes, as many as one read has', (size) => {
    const bytes = Buffer.alloc(size, 'a');
    freeBytes(bytes);
    expect(bytes.length).toBe(0);
  });

  it('is returned of bytes whose buffer has a byte left over', () => {
    const bytes = Buffer.alloc(100_000, 'a').subarray(0, 99_999);
    freeBytes(bytes);
    expect(bytes.length).toBe(0);
  });

  it.each([
    ['the beginning of others', Buffer.alloc(100_000, 'a').subarray(0, 90_000)],
    ['the end of others', Buffer.alloc(100_000, 'a').subarray(1)],
    ['the pool of small ones', Buffer.from(Buffer.allocUnsafe(1).buffer)],
    ['small, and in a buffer with others', Buffer.from('aaa')],
    ['nothing', Buffer.from('')],
  ])('stays where they are %s', (_what, bytes) => {
    const text = String(bytes);
    freeBytes(bytes);
    expect(String(bytes)).toBe(text);
  });
});
