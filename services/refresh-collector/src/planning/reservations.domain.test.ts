import { propertyRuns } from '@inventory/testkit/property-runs';
import fc from 'fast-check';
import type { PageCapacity } from './page-capacity.domain.ts';
import { openReservations } from './reservations.domain.ts';

const minuteMs = 60_000;
const nowMs = 1_000_000;
const horizonMs = 90 * minuteMs;
const inMinutes = (minutes: number) => nowMs + minutes * minuteMs;

/** As many pages every minute. */
const steady = (pagesPerMinute: number): PageCapacity => ({
  until: (timeMs) => Math.max(0, ((timeMs - nowMs) / minuteMs) * pagesPerMinute),
  pagesPerMinute,
});

const open = (share = 1) => openReservations(steady(1), nowMs, horizonMs, share);

describe('reservations', () => {
  it('never promise more pages until a deadline than can be read until then (Refresh: Deadlines) [deadlines]', () => {
    const reservation = fc.record({
      minutes: fc.integer({ min: 0, max: 90 }),
      pages: fc.integer({ min: 1, max: 40 }),
    });
    fc.assert(
      fc.property(fc.array(reservation, { maxLength: 20 }), (all) => {
        const reservations = open(0.95);
        const promised = all.filter(({ minutes, pages }) => {
          const fits = reservations.fits(inMinutes(minutes), pages);
          if (fits) reservations.add(inMinutes(minutes), pages);
          return fits;
        });
        return promised.every(({ minutes }) => {
          const due = promised.filter((other) => other.minutes <= minutes);
          return due.reduce((sum, { pages }) => sum + pages, 0) <= 0.95 * minutes + 1e-9;
        });
      }),
      { numRuns: propertyRuns(500) },
    );
  });

  it('let no early page break a later promise, and no later one an earlier', () => {
    const reservations = open();
    reservations.add(inMinutes(60), 60);

    expect(reservations.fits(inMinutes(30), 1)).toBe(false);
    expect(reservations.fits(inMinutes(90), 30)).toBe(true);
    expect(reservations.fits(inMinutes(90), 31)).toBe(false);
  });

  it('have capacity for a page at once while no deadline is full to its last page', () => {
    const reservations = open();
    expect(reservations.fitsAtOnce(1)).toBe(true);
    reservations.add(inMinutes(30), 28);
    reservations.add(inMinutes(60), 10);

    reservations.addAtOnce(1);
    expect(reservations.fitsAtOnce(1)).toBe(true);
    reservations.addAtOnce(1);

    expect(reservations.fitsAtOnce(1)).toBe(false);
    expect(reservations.fits(inMinutes(60), 20)).toBe(true);
    expect(reservations.fits(inMinutes(60), 21)).toBe(false);
  });

  it('keep the part of the capacity that is not theirs', () => {
    expect(open(0.5).fits(inMinutes(60), 30)).toBe(true);
    expect(open(0.5).fits(inMinutes(60), 31)).toBe(false);
  });

  it('name the first deadline before which hardly any page is free', () => {
    const reservations = open();
    reservations.add(inMinutes(40), 30);
    expect(reservations.firstTight(5)).toBeNull();

    reservations.add(inMinutes(60), 28);

    const tightMs = reservations.firstTight(5) ?? 0;
    expect(tightMs).toBeGreaterThan(inMinutes(60));
    expect(tightMs).toBeLessThanOrEqual(inMinutes(60.5));
  });
});
