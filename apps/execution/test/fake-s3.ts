import { createHash, createHmac } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { gzipSync } from 'node:zlib';
import { listenOnFreePort } from '../../../test/support/web-server';

/**
 * `forbidden`: status 403. `broken`: status 500. `silent`: no response. `cut`: the connection closes without a response; `cutInBody`: after half
 * of an object. `compressed`: a whole object in gzip, which ends with the connection. `noBucket`: status 404, as for a missing bucket.
 */
type S3Fault = 'forbidden' | 'broken' | 'silent' | 'cut' | 'cutInBody' | 'compressed' | 'noBucket';

const BUCKET = 'pictures';
const ACCESS_KEYS = { accessKeyId: 'AKTEST', secretAccessKey: 'wJalr/secret+Key' };
const REGION = 'eu-test-1';

/** A server with the protocol of S3 that verifies the signature and the body hash of each request. */
export class FakeS3 {
  /** The contents of the objects, by key with the prefix. */
  readonly objects = new Map<string, Buffer>();
  /** Method and path of every request, also of the refused ones. */
  readonly requests: string[] = [];
  /** The fault of the following requests. */
  fault: S3Fault | undefined;
  /** Maximum keys per list. */
  maxKeys = 1_000;
  /** Runs before an object is stored. */
  beforePut = async () => {};
  /** Keys of objects that the server refuses to store and to delete, as under a legal hold. */
  readonly refusedKeys = new Set<string>();

  private constructor(
    private readonly server: Server,
    private readonly url: string,
  ) {
    server.on('request', (request, response) => void this.answer(request, response));
  }

  static async start(): Promise<FakeS3> {
    const server = createServer();
    return new FakeS3(server, `http://127.0.0.1:${await listenOnFreePort(server)}`);
  }

  get settings() {
    return { endpoint: this.url, bucket: BUCKET, prefix: 'evidence/', region: REGION, ...ACCESS_KEYS };
  }

  /** Settings of a service that uses this bucket. */
  get env(): NodeJS.ProcessEnv {
    return {
      EVIDENCE_STORE: 's3',
      EVIDENCE_S3_ENDPOINT: this.url,
      EVIDENCE_S3_BUCKET: BUCKET,
      EVIDENCE_S3_REGION: REGION,
      EVIDENCE_S3_ACCESS_KEY_ID: ACCESS_KEYS.accessKeyId,
      EVIDENCE_S3_SECRET_ACCESS_KEY: ACCESS_KEYS.secretAccessKey,
    };
  }

  async stop(): Promise<void> {
    this.server.closeAllConnections();
    this.server.close();
    await once(this.server, 'close');
  }

  private async answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    const body = Buffer.concat(chunks);
    const url = new URL(request.url ?? '', this.url);
    this.requests.push(`${request.method} ${url.pathname}`);
    if (this.fault === 'silent') return;
    if (this.fault === 'cut') return void response.destroy();
    if (this.fault === 'broken') return refuse(response, 500, 'InternalError');
    if (this.fault === 'forbidden') return refuse(response, 403, 'AccessDenied');
    if (this.fault === 'noBucket') return refuse(response, 404, 'NoSuchBucket');
    const expected = signatureOf(request, url, body);
    if (!request.headers.authorization?.endsWith(`Signature=${expected}`)) {
      return refuse(response, 403, 'SignatureDoesNotMatch');
    }
    const [, bucket, ...rest] = url.pathname.split('/');
    if (bucket !== BUCKET) return refuse(response, 404, 'NoSuchBucket');
    const key = rest.join('/');
    if (key === '') return this.list(url, response);
    if (request.method === 'PUT') await this.beforePut();
    if (request.method !== 'GET' && this.refusedKeys.has(key)) return refuse(response, 403, 'AccessDenied');
    this.handle(request, response, key, body);
  }

  private handle(request: IncomingMessage, response: ServerResponse, key: string, body: Buffer): void {
    if (request.method === 'PUT') {
      this.objects.set(key, body);
      response.end();
    } else if (request.method === 'DELETE') {
      this.objects.delete(key);
      response.writeHead(204).end();
    } else {
      this.get(request, response, this.objects.get(key));
    }
  }

  private get(request: IncomingMessage, response: ServerResponse, object: Buffer | undefined): void {
    if (!object) return refuse(response, 404, 'NoSuchKey');
    if (this.fault === 'compressed') return sendCompressed(response, object);
    const [, from = '0', to = ''] = /^bytes=(\d+)-(\d+)$/.exec(request.headers.range ?? '') ?? [];
    const content = object.subarray(Number(from), Number(to) + 1);
    response.writeHead(206, { 'content-length': content.length });
    if (this.fault !== 'cutInBody') return void response.end(content);
    response.write(content.subarray(0, content.length / 2), () => response.destroy());
  }

  private list(url: URL, response: ServerResponse): void {
    const { searchParams: query } = url;
    const [prefix, after, most] = [query.get('prefix'), query.get('start-after'), query.get('max-keys')];
    const following = [...this.objects.keys()]
      .filter((key) => key.startsWith(prefix ?? '') && key > (after ?? ''))
      .toSorted();
    // A server may list fewer keys than it is asked for.
    const keys = following.slice(0, Math.min(Number(most), this.maxKeys));
    const truncated = `<IsTruncated>${keys.length < following.length}</IsTruncated>`;
    const contents = keys.map((key) => `<Contents><Key>${key}</Key><Size>1</Size></Contents>`).join('');
    response.end(`<?xml version="1.0" encoding="UTF-8"?><ListBucketResult>${truncated}${contents}</ListBucketResult>`);
  }
}

function sendCompressed(response: ServerResponse, object: Buffer): void {
  // Without chunks or a length the end of the connection is the end of the body.
  response.useChunkedEncodingByDefault = false;
  response.writeHead(200, { 'content-encoding': 'gzip', connection: 'close' }).end(gzipSync(object));
}

function refuse(response: ServerResponse, status: number, code: string): void {
  response.writeHead(status).end(`<Error><Code>${code}</Code></Error>`);
}

/** Signature Version 4, computed independently of the code under test. The body hash is part of it. */
function signatureOf(request: IncomingMessage, url: URL, body: Buffer): string {
  const [, scope = '', signedHeaders = ''] =
    /Credential=AKTEST\/([^,]+), ?SignedHeaders=([^,]+)/.exec(request.headers.authorization ?? '') ?? [];
  const time = String(request.headers['x-amz-date']);
  const encode = (text: string) =>
    encodeURIComponent(text).replace(/[!'()*]/g, (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`);
  const query = [...url.searchParams].map(([name, value]) => `${encode(name)}=${encode(value)}`).toSorted();
  const headers = signedHeaders.split(';').map((name) => `${name}:${String(request.headers[name]).trim()}\n`);
  const hash = createHash('sha256').update(body).digest('hex');
  const canonical = [request.method, url.pathname, query.join('&'), headers.join(''), signedHeaders, hash].join('\n');
  const hashed = createHash('sha256').update(canonical).digest('hex');
  const text = ['AWS4-HMAC-SHA256', time, scope, hashed].join('\n');
  const day = time.slice(0, 8);
  if (scope !== `${day}/${REGION}/s3/aws4_request`) return 'wrong scope';
  const key = [day, REGION, 's3', 'aws4_request'].reduce<Buffer | string>(
    (secret, part) => createHmac('sha256', secret).update(part).digest(),
    `AWS4${ACCESS_KEYS.secretAccessKey}`,
  );
  return createHmac('sha256', key).update(text).digest('hex');
}
