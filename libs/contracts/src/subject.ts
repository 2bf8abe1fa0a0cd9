/**
 * The subject of a request with one reply and, where its contract says so, partial replies before it. One replica of the
 * service handles each request. The type parameters exist only for the compiler.
 */
export interface RpcSubject<Request, Reply> {
  readonly kind: 'rpc';
  readonly subject: string;
  /**
   * The notification by which the replicas of the service announce themselves. With it, the requests of one tenant go to the same replica, which
   * handles many of them in one batch; without it to any replica.
   */
  readonly replicas?: EventSubject<ReplicaNotice>;
  readonly _types?: { request: Request; reply: Reply };
}

/**
 * The subject of a notification: a message without a reply that every replica of every subscriber receives. Notifications are
 * lossy: whoever needs the information also polls the database, and a notification only makes the next poll earlier.
 */
export interface EventSubject<Body> {
  readonly kind: 'event';
  readonly subject: string;
  readonly _types?: { body: Body };
}

/** The notification with which a replica of a service announces that it receives requests, every `REPLICA_NOTICE_MS`. */
export interface ReplicaNotice {
  replica: string;
}

export const REPLICA_NOTICE_MS = 1_000;

/** Declares the subject of a request; `replicas` as in `RpcSubject`. */
export function rpc<Request, Reply>(
  subject: string,
  options: Pick<RpcSubject<Request, Reply>, 'replicas'> = {},
): RpcSubject<Request, Reply> {
  return { kind: 'rpc', subject, ...options };
}

/** The subject on which only this replica receives the requests. */
export function subjectAt(replica: string, { subject }: { subject: string }): string {
  return `${subject}.${replica}`;
}

/** Declares the subject of a notification. */
export function event<Body>(subject: string): EventSubject<Body> {
  return { kind: 'event', subject };
}

export type RequestOf<Subject> = Subject extends { _types?: { request: infer Request } } ? Request : never;
export type ReplyOf<Subject> = Subject extends { _types?: { reply: infer Reply } } ? Reply : never;

/** The types of requests and replies of a group of subjects, by name, for the methods that handle them. */
export type RequestsOf<Subjects> = { [Name in keyof Subjects]: RequestOf<Subjects[Name]> };
export type RepliesOf<Subjects> = { [Name in keyof Subjects]: Promise<ReplyOf<Subjects[Name]>> };
