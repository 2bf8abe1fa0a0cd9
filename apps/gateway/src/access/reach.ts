import { hashSecret, readID } from '@batuta/auth';
import type { Reach } from '@batuta/catalog';

/** The process that the path names with the key of the header; undefined when ProcessGuard will refuse either of them. */
export function reachOf(pid: unknown, processKey: string | string[] | undefined): Reach | undefined {
  const processID = readID(pid);
  const key = typeof processKey === 'string' ? processKey.trim() : '';
  return processID === undefined || key === '' ? undefined : { processID, keyHash: hashSecret(key) };
}
