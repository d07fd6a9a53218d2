import { livePageWaitMaxMs } from '@inventory/contracts/internal/live-page';
import { duration, integer, type Parsed } from '@inventory/runtime/settings';

export const pageSettings = {
  CHARGE_TIMEOUT_MS: duration()
    .prefault('5000')
    .describe('Longest wait for the billing outcome of a page'),
  PAGE_DELIVERY_DEADLINE_MS: duration()
    .prefault('30000')
    .describe('Age of a page read past which no first byte is written and its charge is reversed'),
  PAGE_REVERSAL_DELAY_MS: duration()
    .prefault('30000')
    .describe(
      'Time past its delivery deadline after which any replica reverses the charge of a page; ' +
        'larger than the clocks of two replicas can differ',
    ),
  READ_KEY_KEEP_MS: duration()
    .prefault('600000')
    .describe('How long the Idempotency-Key of a page read is kept'),
  LIVE_PAGE_WAIT_MS: integer(1_000, livePageWaitMaxMs)
    .prefault('19000')
    .describe('Longest wait for the platform, confirmation of a denial included'),
  LIVE_PAGE_TRANSFER_MS: duration()
    .prefault('1000')
    .describe('Additional time for the transfer of the page from the refresh-collector'),
  LIVE_PAGES_MAX: integer(1, 100_000)
    .prefault('1000')
    .describe('Most live pages that one replica has the refresh-collector read at once'),
  LIVE_PAGES_PER_ACCOUNT_MAX: integer(1, 100_000)
    .prefault('100')
    .describe('Most live pages of one account at once, on one replica'),
  EXPORTS_MAX: integer(1, 10_000)
    .prefault('16')
    .describe('Most exports that one replica sends at once; each takes up to 16 MiB'),
  EXPORTS_PER_ACCOUNT_MAX: integer(1, 10_000)
    .prefault('4')
    .describe('Most exports of one account at once, on one replica'),
  UNDELIVERED_BYTES_MAX: integer(16 * 2 ** 20, 2 ** 40)
    .prefault(String(256 * 2 ** 20))
    .describe(
      'Most bytes of pages and lists that the clients of one replica have not taken yet; a page has at most 16 MiB',
    ),
  UNDELIVERED_BYTES_PER_ACCOUNT_MAX: integer(2 ** 20, 2 ** 40)
    .prefault(String(64 * 2 ** 20))
    .describe('Most of them of one account, on one replica'),
  DELIVERY_BYTES_PER_SECOND_MIN: integer(1, 2 ** 30)
    .prefault('65536')
    .describe(
      'Pace below which a page or an export ends where another one would be refused for its slot or its bytes',
    ),
  EXPORT_TIME_MAX_MS: duration()
    .prefault('480000')
    .describe(
      'Longest time that an export is sent to its client, less than READ_KEY_KEEP_MS: one that is cut ' +
        'by it can be resumed free with its Idempotency-Key',
    ),
  LIVE_CURSOR_AGE_MAX_MS: duration()
    .prefault('86400000')
    .describe('Age past which a cursor of Live Pages is no longer readable'),
} as const;

export type PageConfig = Readonly<ReturnType<typeof pageConfig>> & {
  readonly deadlines: Readonly<
    Record<'storeMs' | 'lookUpMs' | 'pendingReplyMs' | 'undecidedReadMs', number>
  >;
};

export function pageConfig(parsed: Parsed<typeof pageSettings>) {
  return {
    pageReads: {
      chargeTimeoutMs: parsed.CHARGE_TIMEOUT_MS,
      deliverWithinMs: parsed.PAGE_DELIVERY_DEADLINE_MS,
      reverseAfterMs: parsed.PAGE_REVERSAL_DELAY_MS,
      readKeyKeepMs: parsed.READ_KEY_KEEP_MS,
    },
    undelivered: {
      perKeyMax: parsed.UNDELIVERED_BYTES_PER_ACCOUNT_MAX,
      totalMax: parsed.UNDELIVERED_BYTES_MAX,
    },
    deliveryBytesPerSecondMin: parsed.DELIVERY_BYTES_PER_SECOND_MIN,
    exports: {
      limits: { perKeyMax: parsed.EXPORTS_PER_ACCOUNT_MAX, totalMax: parsed.EXPORTS_MAX },
      timeMaxMs: parsed.EXPORT_TIME_MAX_MS,
    },
    livePages: {
      liveWaitMs: parsed.LIVE_PAGE_WAIT_MS,
      liveTransferMs: parsed.LIVE_PAGE_TRANSFER_MS,
      limits: { perKeyMax: parsed.LIVE_PAGES_PER_ACCOUNT_MAX, totalMax: parsed.LIVE_PAGES_MAX },
      cursorAgeMaxMs: parsed.LIVE_CURSOR_AGE_MAX_MS,
    },
  };
}
