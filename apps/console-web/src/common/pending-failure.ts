/** The part of a result of `useQuery` by which a page says that a read is being repeated. */
interface Read {
  isPending: boolean;
  failureReason: Error | null;
}

/** The error of one of the reads that a page waits for and that are being repeated; those that have an answer may be read again without success. */
export const pendingFailureOf = (...reads: Read[]): Error | null | undefined =>
  reads.find(({ isPending, failureReason }) => isPending && failureReason)?.failureReason;
