import type { Refresh, Reservation } from './refresh.domain.ts';

/** As stored before subscription units: every figure was of credits. */
interface CreditsBillingDocument extends Pick<Refresh['billing'], 'state' | 'disposition'> {
  readonly creditsReserved: number;
  readonly creditsCharged: number | null;
  readonly creditsReleased: number | null;
}
interface CreditsAcceptanceDocument {
  readonly priceVersion: number;
  readonly creditsReserved: number;
}

export type BillingDocument = Refresh['billing'] | CreditsBillingDocument;
export type AcceptanceDocument = Reservation | CreditsAcceptanceDocument;

/** Documents of both forms are stored: records are retained for weeks. */
export function fromBillingDocument(document: BillingDocument): Refresh['billing'] {
  if ('asset' in document) return document;
  const { state, disposition, creditsReserved, creditsCharged, creditsReleased } = document;
  return {
    state,
    disposition,
    asset: 'credits',
    reserved: creditsReserved,
    charged: creditsCharged,
    released: creditsReleased,
  };
}

export function fromAcceptanceDocument(document: AcceptanceDocument): Reservation {
  if ('asset' in document) return document;
  const { priceVersion, creditsReserved: amount } = document;
  // The remainder is reported for units only.
  return { priceVersion, asset: 'credits', amount, available: 0 };
}
