import { generateKeyPairSync, randomInt, sign, type KeyObject } from 'node:crypto';

const ECDSA_WITH_SHA256 = '2a8648ce3d040302';
const COMMON_NAME = '550403';
const SUBJECT_ALT_NAME = '551d11';
const LIFETIME_MS = 24 * 60 * 60 * 1000;

/** Writes one DER value: tag, length, content. */
function derValue(tag: number, ...parts: Buffer[]): Buffer {
  const content = Buffer.concat(parts);
  const { length } = content;
  const lengthBytes = length < 0x80 ? [length] : length < 0x100 ? [0x81, length] : [0x82, length >> 8, length & 0xff];
  return Buffer.concat([Buffer.from([tag, ...lengthBytes]), content]);
}

const derSequence = (...parts: Buffer[]) => derValue(0x30, ...parts);
const derObjectID = (hex: string) => derValue(0x06, Buffer.from(hex, 'hex'));
const derInteger = (value: number) => derValue(0x02, Buffer.from([value]));
const derTime = (time: number) => {
  const digits = new Date(time).toISOString().replaceAll(/[-:T]|\.\d+/g, '');
  return derValue(0x17, Buffer.from(digits.slice(2)));
};

const BASIC_CONSTRAINTS = '551d13';
const IS_AUTHORITY = derSequence(derValue(0x01, Buffer.from([0xff])));

export interface Certificate {
  /** The private key as PEM. */
  key: string;
  cert: string;
}

interface CertificateRequest {
  name: string;
  /** DNS names; a certificate that is not of an authority needs one, or `address`. */
  hosts?: string[];
  /** Whether the certificate is for 127.0.0.1. */
  address?: boolean;
  /** Whether the certificate has expired. */
  expired?: boolean;
  /** The authority that signs the certificate; without it the certificate is self-signed. */
  issuer?: { name: string; key: KeyObject };
  isAuthority?: boolean;
}

const derName = (name: string) =>
  derSequence(derValue(0x31, derSequence(derObjectID(COMMON_NAME), derValue(0x0c, Buffer.from(name)))));
const derExtension = (id: string, value: Buffer) => derSequence(derObjectID(id), derValue(0x04, value));

function certify(request: CertificateRequest): Certificate & { privateKey: KeyObject } {
  const { name, hosts = [], address = false, expired = false, isAuthority = false } = request;
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const issuer = request.issuer ?? { name, key: privateKey };
  const algorithm = derSequence(derObjectID(ECDSA_WITH_SHA256));
  const ends = Date.now() + (expired ? -LIFETIME_MS / 2 : LIFETIME_MS);
  const addresses = address ? [derValue(0x87, Buffer.from([127, 0, 0, 1]))] : [];
  const names = derSequence(...hosts.map((host) => derValue(0x82, Buffer.from(host))), ...addresses);
  const extensions = isAuthority
    ? derExtension(BASIC_CONSTRAINTS, IS_AUTHORITY)
    : derExtension(SUBJECT_ALT_NAME, names);
  const body = derSequence(
    derValue(0xa0, derInteger(2)),
    derInteger(randomInt(1, 128)),
    algorithm,
    derName(issuer.name),
    derSequence(derTime(Date.now() - LIFETIME_MS), derTime(ends)),
    derName(name),
    publicKey.export({ type: 'spki', format: 'der' }),
    derValue(0xa3, derSequence(extensions)),
  );
  const signature = derValue(0x03, Buffer.from([0]), sign('sha256', body, issuer.key));
  const base64 = derSequence(body, algorithm, signature).toString('base64').replaceAll(/.{64}/g, '$&\n');
  return {
    privateKey,
    key: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
    cert: `-----BEGIN CERTIFICATE-----\n${base64}\n-----END CERTIFICATE-----\n`,
  };
}

/** A self-signed certificate for localhost and 127.0.0.1, which is its own authority, valid for a day. */
export function testCertificate(): Certificate {
  return certify({ name: 'test', hosts: ['localhost'], address: true });
}

/**
 * Creates an authority. `issue` returns a certificate that it has signed, for `host`, or else for localhost and
 * 127.0.0.1.
 */
export function privateAuthority(name: string) {
  const { cert, privateKey } = certify({ name, isAuthority: true });
  const issue = ({ host, expired }: { host?: string; expired?: boolean } = {}): Certificate =>
    certify({
      name: 'server',
      hosts: [host ?? 'localhost'],
      address: host === undefined,
      expired,
      issuer: { name, key: privateKey },
    });
  return { cert, issue };
}
