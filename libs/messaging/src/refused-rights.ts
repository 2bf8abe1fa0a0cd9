import { errors } from '@nats-io/transport-node';

/** Time after a line about a refused right within which further refusals of it are not logged: each request may be refused. */
const LOG_INTERVAL_MS = 60_000;
/** The tokens of a subject that name a right, such as `execution.start`. Further ones name a replica or a single reply. */
const NAMING_TOKENS = 2;

/**
 * Logs the rights that NATS refuses to the user of a connection. NATS sends an error then that belongs to no request: the request gets no reply, and a
 * subscription no message.
 */
export class RefusedRights {
  /** When a refusal of each right is logged again, on the monotonic clock. */
  private readonly nextAt = new Map<string, number>();

  constructor(private readonly log: ((text: string) => void) | undefined) {}

  /** Logs the right that this error of the connection refuses, at most once a minute; false for any other error. */
  add(error: Error): boolean {
    if (!(error instanceof errors.PermissionViolationError)) return false;
    const { operation, subject } = error;
    const right = `${operation} ${subject.split('.', NAMING_TOKENS).join('.')}`;
    const now = performance.now();
    if (now < (this.nextAt.get(right) ?? -Infinity)) return true;
    this.nextAt.set(right, now + LOG_INTERVAL_MS);
    const refused = operation === 'publish' ? 'a message to' : 'the subscription to';
    this.log?.(`NATS refuses ${refused} ${subject}: its nats.conf lacks this right of the service's user`);
    return true;
  }
}
