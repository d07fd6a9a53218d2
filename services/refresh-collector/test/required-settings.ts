/** The settings without a default; nothing is at these addresses. */
export const requiredSettings = {
  KAFKA_BROKERS: 'localhost:1',
  MONGODB_URI: 'mongodb://localhost/',
  MONGODB_DATABASE: 'collector',
  HTTP_PORT: '0',
  REVISION_STORE_URL: 'http://localhost:1',
  BILLING_LEDGER_URL: 'http://localhost:1',
  PLATFORM_BASE_URL: 'http://localhost:1',
};
