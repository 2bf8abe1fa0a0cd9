import { readFileSync } from 'node:fs';
import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import { isNativeError } from 'node:util/types';

const CERTIFICATE_PEM = /-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g;

/**
 * Makes this process trust the certificates of a PEM file, beside those it trusts already, in every TLS connection. Throws an Error for
 * a file without certificates.
 */
export function trustAuthoritiesIn(path: string): void {
  setDefaultCACertificates([...getCACertificates('default'), ...certificatesIn(path)]);
}

/** What is wrong with a file that should contain certificates; undefined when nothing is. */
export function authoritiesProblem(path: string): string | undefined {
  try {
    certificatesIn(path);
    return undefined;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

/** Throws an Error that names the file when it cannot be read or contains no certificate. */
function certificatesIn(path: string): string[] {
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch (error) {
    const code = isNativeError(error) && 'code' in error ? error.code : error;
    throw new Error(`the file ${path} cannot be read: ${String(code)}`, { cause: error });
  }
  const certificates = text.match(CERTIFICATE_PEM);
  if (!certificates) throw new Error(`the file ${path} contains no certificate in the form PEM`);
  return certificates;
}
