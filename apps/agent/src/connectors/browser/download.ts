import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { Download } from 'playwright-core';
import { plainFileName } from '../../execution/files/file-name';
import { MAX_FILE_BYTES, type ExecutionFile } from '../../execution/files/execution-files';
import { StepError } from '../../step-error';
import type { BrowserSession } from './browser-session';
import { discardDownload } from './discard-download';
import { BrowserUnresponsiveError, type StepTime } from './step-time';

const SIZE_CHECK_INTERVAL_MS = 50;
const DISCARD_TIME_LIMIT_SECONDS = 5;
const TYPE_OF_EXTENSION: Readonly<Partial<Record<string, string>>> = {
  pdf: 'application/pdf',
  xml: 'application/xml',
  json: 'application/json',
  csv: 'text/csv',
  txt: 'text/plain',
  html: 'text/html',
  zip: 'application/zip',
  xls: 'application/vnd.ms-excel',
  xlsx: 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
  docx: 'application/vnd.openxmlformats-officedocument.wordprocessingml.document',
  png: 'image/png',
  jpg: 'image/jpeg',
  jpeg: 'image/jpeg',
};

/**
 * Waits for the end of a download and reads its file. Throws StepError for a download that fails, is too large, or does not end within the time
 * of the step. It tries to delete the file in any case.
 */
export async function readDownload(
  download: Download,
  session: BrowserSession,
  time: StepTime,
): Promise<ExecutionFile> {
  try {
    return await readFileOf(download, session, time);
  } finally {
    await time
      .boundWithoutSlack(discardDownload(download), time.limit(DISCARD_TIME_LIMIT_SECONDS))
      .catch(() => undefined);
  }
}

async function readFileOf(download: Download, session: BrowserSession, time: StepTime): Promise<ExecutionFile> {
  const name = plainFileName(download.suggestedFilename());
  const tooLarge = () => new StepError(`the download ${name} has more than ${MAX_FILE_BYTES} bytes`);
  let isTooLarge = false;
  const look = async () => {
    if ((await bytesIn(session.process.downloads)) <= MAX_FILE_BYTES || isTooLarge) return;
    isTooLarge = true;
    await download.cancel().catch(() => undefined);
  };
  const watch = setInterval(() => void look(), SIZE_CHECK_INTERVAL_MS);
  try {
    const failure = await time.boundWithoutSlack(download.failure()).catch((error: unknown) => {
      throw error instanceof BrowserUnresponsiveError
        ? new StepError(`the download ${name} did not end within the time of the step`)
        : error;
    });
    if (isTooLarge) throw tooLarge();
    if (failure !== null) throw new StepError(`the download ${name} failed: ${reasonOfFailure(failure)}`);
  } finally {
    clearInterval(watch);
  }
  const bytes = await bytesOf(download, tooLarge);
  return { name, contentType: session.mediaTypeOf(download.url()) ?? typeByName(name), bytes };
}

/** The browser calls every download `canceled` that did not come to its end, also one that nobody has canceled. */
function reasonOfFailure(failure: string): string {
  return failure === 'canceled' ? 'the server answered with an error, or did not send the whole file' : failure;
}

/** The media type by the extension of the name, because the browser does not report the type of every download. */
function typeByName(name: string): string {
  const ending = name.slice(name.lastIndexOf('.') + 1).toLowerCase();
  return TYPE_OF_EXTENSION[ending] ?? 'application/octet-stream';
}

async function bytesOf(download: Download, tooLarge: () => Error): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of await download.createReadStream()) {
    const bytes = Buffer.from(chunk);
    size += bytes.length;
    if (size > MAX_FILE_BYTES) throw tooLarge();
    chunks.push(bytes);
  }
  return Buffer.concat(chunks);
}

async function bytesIn(folder: string): Promise<number> {
  const names = await readdir(folder).catch(() => []);
  const sizes = await Promise.all(
    names.map((name) =>
      stat(join(folder, name)).then(
        ({ size }) => size,
        () => 0,
      ),
    ),
  );
  return sizes.reduce((sum, size) => sum + size, 0);
}
