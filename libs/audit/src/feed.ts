/**
 * Age from which on events are in the feed of the audit trail: every transaction that records an earlier event has ended. Twice the
 * longest time of a transaction (60 s), because the time of a row is read at the begin of its transaction and its number is given
 * at the end; for ids of the services' clocks, which may be behind that of the database by as much.
 */
export const FEED_LAG_SECONDS = 120;
