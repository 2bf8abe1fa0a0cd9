/**
 * Age from which on events are in the feed of the audit trail: by then every transaction that records an earlier event has ended. It is twice the
 * longest time of a transaction (60 s). A row has the time at which its transaction began, and may get its number at the end; an id that a service
 * makes has the time of that machine, whose clock may be up to 60 s behind the database's.
 */
export const FEED_LAG_SECONDS = 120;
