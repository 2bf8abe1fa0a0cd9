/** The time of rate windows, slow bodies, deadlines of waiting callers, and default days, in epoch milliseconds; a test may set it. */
export class GatewayClock {
  constructor(readonly now: () => number = Date.now) {}
}
