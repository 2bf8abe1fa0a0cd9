/**
 * A body that takes longer than this to arrive has its sender authorized again, because what authorized the sender may have been
 * revoked.
 */
export const SLOW_BODY_MS = 500;
