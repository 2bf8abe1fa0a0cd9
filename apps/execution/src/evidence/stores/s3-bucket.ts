import { ApiError } from '@batuta/errors';
import { guardedFetch } from '@batuta/guarded-fetch';
import { HostRules } from '@batuta/network';
import { AwsV4Signer } from 'aws4fetch';
import { createHash } from 'node:crypto';
import type { Bucket } from './object-store';

export interface S3Settings {
  /** URL of the service, http or https; the bucket's name is appended to its path, if it has one. */
  endpoint: string;
  bucket: string;
  /** The beginning of every key, empty or ending with `/`. */
  prefix: string;
  region: string;
  accessKeyId: string;
  secretAccessKey: string;
}

/** `putMs` is the limit of a write, for which no caller waits; every other request ends within the time limit of a call over NATS. */
const TIME_LIMITS = { requestMs: 4_000, putMs: 10_000 };
/** A list of 500 keys has about 200 KB. */
const MAX_LIST_BYTES = 1024 * 1024;
const KEY_IN_LIST = /<Key>([^<]*)<\/Key>/g;
const EVIDENCE_ID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** Statuses of answers that say nothing about the object of the request: of a missing bucket (404), or of a bucket that is busy. */
const INCONCLUSIVE_STATUSES = new Set([404, 408, 429]);

/** The errors of requests that the bucket understood and refused. */
const refusals = new WeakSet<object>();

/** True for the error of a request that the bucket refused, maybe only for its object, as under a legal hold; the bucket may serve other requests. */
export function isRefusal(error: unknown): boolean {
  return typeof error === 'object' && error !== null && refusals.has(error);
}

interface BucketRequest {
  method: 'GET' | 'PUT' | 'DELETE';
  key?: string;
  query?: Record<string, string>;
  headers?: Record<string, string>;
  body?: Buffer<ArrayBuffer>;
}

/** Pictures in a bucket of S3, or of a service that speaks its protocol, one object each. Requests are signed (SigV4). */
export class S3Bucket implements Bucket {
  readonly location: string;
  /** Not the fetch of Node, in which some answers throw an error that nobody can catch: the bucket would end the service. */
  private readonly fetch: typeof fetch;

  constructor(
    private readonly settings: S3Settings,
    private readonly timeLimits = TIME_LIMITS,
  ) {
    this.location = `s3://${settings.bucket}/${settings.prefix}`;
    this.fetch = guardedFetch(HostRules.of({ allow: [new URL(settings.endpoint).host] }));
  }

  async put(evidenceID: string, content: Buffer): Promise<void> {
    const response = await this.request({ method: 'PUT', key: evidenceID, body: Buffer.from(content) });
    await this.discard(response);
    if (!response.ok) throw this.fault(response);
  }

  async read(evidenceID: string, from: number, length: number): Promise<Buffer | undefined> {
    const headers = { range: `bytes=${from}-${from + length - 1}` };
    const response = await this.request({ method: 'GET', key: evidenceID, headers });
    if (response.status === 404)
      return (await this.isMissing(response)) ? undefined : Promise.reject(this.fault(response));
    if (!response.ok) {
      await this.discard(response);
      throw this.fault(response);
    }
    // A server that does not know ranges sends the whole object.
    const skip = response.status === 206 ? 0 : from;
    const content = await this.readBody(response, skip + length);
    if (content.length < skip + length) throw storeUnavailable('the object is shorter than the picture');
    return content.subarray(skip, skip + length);
  }

  async remove(evidenceID: string): Promise<void> {
    const response = await this.request({ method: 'DELETE', key: evidenceID });
    if (response.status === 404 && (await this.isMissing(response))) return;
    await this.discard(response);
    if (!response.ok) throw this.fault(response);
  }

  /** Skips objects under the prefix that the service did not write. */
  async list(after: string, limit: number): Promise<string[]> {
    const { prefix } = this.settings;
    const ids: string[] = [];
    for (let start = `${prefix}${after}`; ;) {
      const { keys, truncated } = await this.listKeys(start, limit);
      ids.push(...keys.map((key) => key.slice(prefix.length)).filter((id) => EVIDENCE_ID.test(id)));
      const last = keys.at(-1);
      if (!truncated || last === undefined || ids.length >= limit) return ids.slice(0, limit);
      start = last;
    }
  }

  /** Keys with the prefix that are greater than `after`. A server may return fewer than `limit` although more follow. */
  private async listKeys(after: string, limit: number): Promise<{ keys: string[]; truncated: boolean }> {
    const query = { 'list-type': '2', prefix: this.settings.prefix, 'start-after': after, 'max-keys': String(limit) };
    const response = await this.request({ method: 'GET', query });
    if (!response.ok) {
      await this.discard(response);
      throw this.fault(response);
    }
    const xml = (await this.readBody(response, MAX_LIST_BYTES)).toString('utf8');
    const keys = Array.from(xml.matchAll(KEY_IN_LIST), ([, key = '']) => key);
    return { keys, truncated: xml.includes('<IsTruncated>true</IsTruncated>') };
  }

  private async request({ method, key = '', query = {}, headers = {}, body }: BucketRequest): Promise<Response> {
    const { endpoint, bucket, prefix, region, accessKeyId, secretAccessKey } = this.settings;
    const url = new URL(`${endpoint.replace(/\/+$/, '')}/${bucket}${key && `/${prefix}${key}`}`);
    for (const [name, value] of Object.entries(query)) url.searchParams.set(name, value);
    const hash = createHash('sha256')
      .update(body ?? '')
      .digest('hex');
    const signer = new AwsV4Signer({
      method,
      url: url.href,
      headers: { ...headers, 'x-amz-content-sha256': hash },
      body,
      accessKeyId,
      secretAccessKey,
      region,
      service: 's3',
    });
    const signed = await signer.sign();
    const { requestMs, putMs } = this.timeLimits;
    const signal = AbortSignal.timeout(method === 'PUT' ? putMs : requestMs);
    const init = { method, headers: signed.headers, body, signal, redirect: 'error' } as const;
    return this.fetch(signed.url, init).catch(throwUnavailable);
  }

  /** True for a 404 about the object itself; false when, for example, the bucket does not exist. */
  private async isMissing(response: Response): Promise<boolean> {
    const text = (await this.readBody(response, MAX_LIST_BYTES)).toString('utf8');
    return text.includes('NoSuchKey');
  }

  /** Reads at most about `maxBytes` of the body. */
  private async readBody(response: Response, maxBytes: number): Promise<Buffer> {
    const chunks: Uint8Array[] = [];
    let bytes = 0;
    try {
      for await (const chunk of response.body ?? []) {
        chunks.push(chunk);
        bytes += chunk.length;
        if (bytes >= maxBytes) break;
      }
    } catch (error) {
      throwUnavailable(error);
    }
    return Buffer.concat(chunks);
  }

  private async discard(response: Response): Promise<void> {
    await response.body?.cancel().catch(() => undefined);
  }

  private fault({ status }: Response): ApiError {
    const fault = storeUnavailable(`${this.location} answered ${status}`);
    if (status >= 400 && status < 500 && !INCONCLUSIVE_STATUSES.has(status)) refusals.add(fault);
    return fault;
  }
}

function throwUnavailable(error: unknown): never {
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
  throw storeUnavailable(cause instanceof Error ? cause.message : String(cause));
}

function storeUnavailable(why: string): ApiError {
  return new ApiError('UNAVAILABLE', `The store of the pictures is away for the moment (${why}); try again.`);
}
