/**
 * The context of each kind of sealed value, made of the ids of its row, so that a copy of its bytes in another row
 * cannot be unsealed. `SEALED_COLUMNS` of the re-seal job has a column for each.
 */
export const sealingContexts = {
  vaultSecret: (accountID: string, key: string) => `vault:${accountID}:${key}`,
  instanceInput: (instanceID: string) => `instance:${instanceID}`,
  instanceValues: (instanceID: string) => `values:${instanceID}`,
  secretAnswer: (instanceID: string) => `answer:${instanceID}`,
  originToken: (originID: string, kind: string) => `origin:${originID}:${kind}`,
  originSignature: (originID: string) => `origin:${originID}:signature`,
  eventSecret: (subscriptionID: string) => `events:${subscriptionID}`,
  previousEventSecret: (subscriptionID: string) => `events:${subscriptionID}:previous`,
};
