import { resolve } from 'node:path';
import { isNativeError } from 'node:util/types';
import { MAX_WAITING_LOG_BYTES, retryFullDisk } from '@batuta/logging';
import type { DestinationStream } from 'pino';

export interface LogFileSettings {
  /** `agent.log` becomes `agent.1.log`, `agent.2.log` … in its folder, which should have no other files. */
  path: string;
  /** Size of a file in megabytes at which the next one begins. */
  megabytes: number;
  /** Number of files that are kept, the current one among them; older ones are deleted when the next one begins. */
  keptFiles: number;
}

/**
 * Opens numbered log files. Throws an Error that names the setting if that fails; a later fault of the disk is written to
 * standard error and does not end the agent.
 */
export async function openLogFiles({ path, megabytes, keptFiles }: LogFileSettings): Promise<DestinationStream> {
  // Imported here, because the package loads many modules that an agent without log files never needs.
  const { default: openRollingFile } = await import('pino-roll');
  const stream = await openRollingFile({
    file: resolve(path),
    size: `${megabytes}m`,
    limit: { count: keptFiles, removeOtherLogFiles: true },
    mkdir: true,
    // Writes synchronously, so that no line is lost when the process ends.
    sync: true,
    maxLength: MAX_WAITING_LOG_BYTES,
  }).catch((error: unknown) => {
    throw new Error(`BATUTA_AGENT_LOG_FILE: ${path} cannot be written: ${messageOf(error)}`, { cause: error });
  });
  stream.on('error', (error: Error) => process.stderr.write(`The log file cannot be written: ${error.message}\n`));
  retryFullDisk(stream);
  return stream;
}

function messageOf(error: unknown): string {
  return isNativeError(error) ? error.message : String(error);
}
