/**
 * The subject of a request with one reply and, where its contract says so, partial replies before it. One replica of the
 * service handles each request. The type parameters exist only for the compiler.
 */
export interface RpcSubject<Request, Reply> {
  readonly kind: 'rpc';
  readonly subject: string;
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

/** Declares the subject of a request. */
export function rpc<Request, Reply>(subject: string): RpcSubject<Request, Reply> {
  return { kind: 'rpc', subject };
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
