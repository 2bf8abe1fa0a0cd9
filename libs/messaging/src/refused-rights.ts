import { LogThrottle } from '@batuta/observability';
import { errors } from '@nats-io/transport-node';

/** The tokens of a subject that name a right, such as `execution.start`. Further ones name a replica or a single reply. */
const NAMING_TOKENS = 2;

/**
 * Logs the rights that NATS refuses to the user of a connection. NATS sends an error then that belongs to no request: the request gets no reply, and a
 * subscription no message.
 */
export class RefusedRights {
  /** One for each right, which each request may need. */
  private readonly throttles = new Map<string, LogThrottle>();

  constructor(private readonly log: ((text: string) => void) | undefined) {}

  /** Logs the right that this error of the connection refuses, at most once a minute; false for any other error. */
  add(error: Error): boolean {
    if (!(error instanceof errors.PermissionViolationError)) return false;
    const { operation, subject } = error;
    const right = `${operation} ${subject.split('.', NAMING_TOKENS).join('.')}`;
    const throttle = this.throttles.get(right) ?? new LogThrottle();
    this.throttles.set(right, throttle);
    if (throttle.add() === undefined) return true;
    const refused = operation === 'publish' ? 'a message to' : 'the subscription to';
    this.log?.(`NATS refuses ${refused} ${subject}: its nats.conf lacks this right of the service's user`);
    return true;
  }
}
