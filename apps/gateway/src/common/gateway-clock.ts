/** The clocks of the gateway; a test may set them. */
export class GatewayClock {
  /**
   * `now`: epoch milliseconds, for rate windows, failed credentials of addresses, slow bodies, and the default days of a history.
   * `monotonicNow`: milliseconds, for the deadlines of waiting callers, which a step of the machine's clock must not move.
   */
  constructor(
    readonly now: () => number = Date.now,
    readonly monotonicNow: () => number = () => performance.now(),
  ) {}
}
