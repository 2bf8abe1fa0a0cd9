/** Where the gateway's parts get the time from, so that a test can set it. */
export class Clock {
  constructor(readonly now: () => number = Date.now) {}
}
