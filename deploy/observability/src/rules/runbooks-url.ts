/**
 * Where the operators read docs/operators/runbooks. A placeholder, as every host that ends in `example`: set it, then
 * `npm run generate`.
 */
export const runbooksUrl = 'https://runbooks.example';
