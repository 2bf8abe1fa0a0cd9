import type { Download } from 'playwright-core';

/** Ends the download and deletes its file, which would count in the size of later downloads. */
export async function discardDownload(download: Download): Promise<void> {
  await download.cancel();
  await download.delete();
}
