/** The release of the product, which both documents state; `/v2` in an address is the version of the API. */
export const release = '0.1.0';
