import type { AccountId } from '@inventory/contracts/ids';
import type { Clock } from '@inventory/runtime/clock';
import { createDeliverySlots } from '../../src/http/delivery/delivery-slots.ts';

/** Slots of which there are always enough. */
export function boundlessSlots(clock: Clock) {
  const limits = { perKeyMax: 2 ** 40, totalMax: 2 ** 40 };
  return createDeliverySlots<AccountId>({ limits, bytesPerSecondMin: 1, kind: 'page', clock });
}
