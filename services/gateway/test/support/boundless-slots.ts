import type { AccountId } from '@inventory/contracts/ids';
import type { Clock } from '@inventory/runtime/clock';
import { createDeliveryPlaces } from '../../src/http/delivery/delivery-slots.ts';

/** Places of which there are always enough. */
export function boundlessPlaces(clock: Clock) {
  const limits = { perKeyMax: 2 ** 40, totalMax: 2 ** 40 };
  return createDeliveryPlaces<AccountId>({ limits, bytesPerSecondMin: 1, kind: 'page', clock });
}
