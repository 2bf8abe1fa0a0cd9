/** The part of a result of `useQuery` by which a page says that a read is being repeated. */
interface Read {
  isPending: boolean;
  failureReason: Error | null;
}

/** The error of one of the reads that a page waits for and that are being repeated. The failure of a read that has an answer is not shown: its data are. */
export const pendingFailureOf = (...reads: Read[]): Error | null | undefined =>
  reads.find(({ isPending, failureReason }) => isPending && failureReason)?.failureReason;
