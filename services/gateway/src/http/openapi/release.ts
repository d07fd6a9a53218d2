/** The version of the product, which both documents state; `/v2` in an address is the version of the API. */
export const productVersion = '0.1.0';
