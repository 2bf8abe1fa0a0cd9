import { MAX_PICTURE_BYTES } from '@batuta/agent-protocol';
import type { Locator } from 'playwright-core';
import type { KeptPicture, Picture } from '../../evidence/evidence-sink';
import type { Effects } from '../../execution/effects';
import type { BrowserSession } from './browser-session';

const JPEG_QUALITIES = [80, 50, 20];

export interface PictureOptions {
  element?: Locator;
  fullPage?: boolean;
  timeout: number;
}

/** Takes a picture of the page with secret fields black; undefined when even the lowest JPEG quality is too large. */
export async function takePicture(session: BrowserSession, options: PictureOptions): Promise<Picture | undefined> {
  const { element, fullPage, timeout } = options;
  const page = await session.page();
  const common = { timeout, mask: await session.hiddenElements(), maskColor: '#000000', scale: 'css' as const };
  const takeScreenshot = (form: { type: 'png' } | { type: 'jpeg'; quality: number }) =>
    element ? element.screenshot({ ...common, ...form }) : page.screenshot({ ...common, ...form, fullPage });
  const png = await takeScreenshot({ type: 'png' });
  if (png.length <= MAX_PICTURE_BYTES) return { bytes: png, mediaType: 'image/png' };
  for (const quality of JPEG_QUALITIES) {
    const jpeg = await takeScreenshot({ type: 'jpeg', quality });
    if (jpeg.length <= MAX_PICTURE_BYTES) return { bytes: jpeg, mediaType: 'image/jpeg' };
  }
  return undefined;
}

export async function keepPicture(picture: Picture, { evidence }: Pick<Effects, 'evidence'>): Promise<KeptPicture> {
  return { picture, link: await evidence.keep(picture) };
}
