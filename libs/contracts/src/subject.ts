/**
 * A request with one reply; where the contract says so, more may come ahead of it. Delivery is always shared: one replica of
 * the answering service handles it.
 * The two type parameters exist for the compiler only; nothing of them is there at run time.
 */
export interface RpcSubject<Request, Reply> {
  readonly kind: 'rpc';
  readonly subject: string;
  readonly _types?: { request: Request; reply: Reply };
}

/** A message without a reply. Fan-out: every replica of every listener hears it. It may be lost: it only notifications. */
export interface EventSubject<Body> {
  readonly kind: 'event';
  readonly subject: string;
  readonly _types?: { body: Body };
}

export function rpc<Request, Reply>(subject: string): RpcSubject<Request, Reply> {
  return { kind: 'rpc', subject };
}

export function event<Body>(subject: string): EventSubject<Body> {
  return { kind: 'event', subject };
}

export type RequestOf<Subject> = Subject extends { _types?: { request: infer Request } } ? Request : never;
export type ReplyOf<Subject> = Subject extends { _types?: { reply: infer Reply } } ? Reply : never;

/** Requests and replies of a group of subjects by their names, for the methods that answer them. */
export type RequestsOf<Subjects> = { [Name in keyof Subjects]: RequestOf<Subjects[Name]> };
export type RepliesOf<Subjects> = { [Name in keyof Subjects]: Promise<ReplyOf<Subjects[Name]>> };
