/**
 * Minimum age of the events in the feed of the audit trail. Events of this age are complete: every transaction that could still add an
 * earlier one has ended. A transaction takes at most 60 s, and its events have no earlier time than its beginning. Another 60 s allow for an id
 * that a service makes, with the time of its own machine, whose clock may be that far behind the database's.
 */
export const FEED_LAG_SECONDS = 120;
