import { readFileSync } from 'node:fs';
import { getCACertificates, setDefaultCACertificates } from 'node:tls';

const CERTIFICATE_PEM = /-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g;

/** Makes this process trust the certificates of a PEM file, beside those it trusts already, in every TLS connection. */
export function trustAuthoritiesIn(path: string): void {
  const certificates = readFileSync(path, 'utf8').match(CERTIFICATE_PEM) ?? [];
  if (certificates.length === 0) throw new Error(`${path} contains no certificate in the form PEM`);
  setDefaultCACertificates([...getCACertificates('default'), ...certificates]);
}
