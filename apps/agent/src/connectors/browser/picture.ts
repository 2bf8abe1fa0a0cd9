import { MAX_PICTURE_BYTES } from '@batuta/agent-protocol';
import type { Locator } from 'playwright-core';
import type { KeptPicture, Picture } from '../../evidence/evidence-sink';
import type { Effects } from '../../execution/effects';
import { MAX_MASKED_FRAMES, type BrowserSession } from './browser-session';

const JPEG_QUALITIES = [80, 50, 20];

export interface PictureOptions {
  /** The only element on the picture; without it the picture shows the visible part of the page, or with `fullPage` all of it. */
  element?: Locator;
  fullPage?: boolean;
  /** Milliseconds for each screenshot; a large picture is taken up to four times. */
  timeout: number;
}

/**
 * Takes a picture of the page with secret fields black. Otherwise returns undefined and notes why for the log: the page has too many
 * frames, or even the lowest JPEG quality is too large.
 */
export async function takePicture(session: BrowserSession, options: PictureOptions): Promise<Picture | undefined> {
  const { element, fullPage, timeout } = options;
  const page = await session.activePage();
  const mask = await session.hiddenElements();
  if (!mask) {
    session.noteForLog(`kept no picture, because the page has more than ${MAX_MASKED_FRAMES} frames`);
    return undefined;
  }
  const common = { timeout, mask, maskColor: '#000000', scale: 'css' as const };
  const takeScreenshot = (form: { type: 'png' } | { type: 'jpeg'; quality: number }) =>
    element ? element.screenshot({ ...common, ...form }) : page.screenshot({ ...common, ...form, fullPage });
  const png = await takeScreenshot({ type: 'png' });
  if (png.length <= MAX_PICTURE_BYTES) return { bytes: png, mediaType: 'image/png' };
  for (const quality of JPEG_QUALITIES) {
    const jpeg = await takeScreenshot({ type: 'jpeg', quality });
    if (jpeg.length <= MAX_PICTURE_BYTES) return { bytes: jpeg, mediaType: 'image/jpeg' };
  }
  session.noteForLog('kept no picture, because it is too large');
  return undefined;
}

export async function keepPicture(picture: Picture, { evidence }: Pick<Effects, 'evidence'>): Promise<KeptPicture> {
  return { picture, link: await evidence.keep(picture) };
}
