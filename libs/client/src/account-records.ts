import type { components } from './generated/wire-types.ts';

type Schemas = components['schemas'];

/** Whole credits or units: total = held + available. */
export type Amounts = Schemas['Amounts'];

/** The account of the Credential of this client; `balance` is prepaid credits. */
export type Account = Schemas['Account'];
/** How an account pays; units expire at the end of their period. */
export type Funding = Account['funding'];
export type SpendCap = NonNullable<Account['spend_caps']>[number];

/** The Project of the Credential of this client, what that may do, and its limits. */
export type Project = Schemas['Project'];

/** The price list in force, in credits; units cost the same numbers. */
export type Prices = Schemas['Prices'];

export type StatementPage = Schemas['Statement'];
/** One entry of the account. */
export type StatementRow = StatementPage['items'][number];

export type Usage = Schemas['Usage'];
/** What one Project used of one product on one UTC day. */
export type UsageRow = Usage['items'][number];
