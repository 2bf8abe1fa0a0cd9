/** Maximum numbers of requests in flight at one replica. */
export interface SendLimits {
  total: number;
  perCompany: number;
  perSubscription: number;
}

interface SendTarget {
  subscriptionID: string;
  companyID: string;
}

/** Counts the requests in flight and bounds them per subscription, per company and in total. */
export class SendBounds {
  private total = 0;
  private readonly ofCompany = new Map<string, number>();
  private readonly ofSubscription = new Map<string, number>();

  constructor(private readonly limits: SendLimits) {}

  /** The number of requests that may still begin, as far as the total limits them. */
  get room(): number {
    return this.limits.total - this.total;
  }

  /** The number of requests in flight, of all companies. */
  get inFlight(): number {
    return this.total;
  }

  /** The subscriptions that have as many requests in flight as one may have. */
  get fullSubscriptions(): string[] {
    const { perSubscription } = this.limits;
    return Array.from(this.ofSubscription)
      .filter(([, number]) => number >= perSubscription)
      .map(([id]) => id);
  }

  /** Counts one more request in flight; returns false, and counts nothing, when a bound is reached. */
  take({ subscriptionID, companyID }: SendTarget): boolean {
    const { perCompany, perSubscription } = this.limits;
    const [ofCompany, own] = [this.ofCompany.get(companyID) ?? 0, this.ofSubscription.get(subscriptionID) ?? 0];
    if (this.room <= 0 || ofCompany >= perCompany || own >= perSubscription) return false;
    this.total += 1;
    this.ofCompany.set(companyID, ofCompany + 1);
    this.ofSubscription.set(subscriptionID, own + 1);
    return true;
  }

  /** To be called once for each `take` that returned true. */
  release({ subscriptionID, companyID }: SendTarget): void {
    this.total -= 1;
    decrease(this.ofCompany, companyID);
    decrease(this.ofSubscription, subscriptionID);
  }
}

function decrease(numbers: Map<string, number>, key: string): void {
  const number = (numbers.get(key) ?? 0) - 1;
  if (number > 0) numbers.set(key, number);
  else numbers.delete(key);
}
