import type { ServerResponse } from 'node:http';

interface PicturePage {
  mediaType: 'image/png' | 'image/jpeg';
  /** Size in bytes of the whole picture. */
  bytes: number;
  /** The bytes of the page in base64. */
  data: string;
}

export interface PictureSource {
  read: (offset: number) => Promise<PicturePage>;
  admit: (pageBytes: number, pictureBytes: number) => void;
}

/**
 * Answers with a picture, of which one page at a time is in memory. `read` returns the page that begins at an offset; `admit` throws when there is
 * no room for `pageBytes` in memory. Throws the error of `admit`, and of `read` for the first page. When `read` fails for a later page, the
 * connection is closed, and the client notices by `Content-Length` that bytes are missing.
 */
export async function sendPicture(
  response: ServerResponse,
  name: string,
  { read, admit }: PictureSource,
): Promise<void> {
  const first = await read(0);
  admit(first.data.length, first.bytes);
  const extension = first.mediaType === 'image/png' ? 'png' : 'jpg';
  response.setHeader('Content-Type', first.mediaType);
  response.setHeader('Content-Length', first.bytes);
  response.setHeader('Content-Disposition', `inline; filename="${name}.${extension}"`);
  response.setHeader('Cache-Control', 'private, no-store');
  // The response to HEAD has no body, so further pages would be read for nothing.
  if (response.req.method === 'HEAD') return void response.end();
  try {
    for (let offset = 0, page = first; ; page = await read(offset)) {
      const content = Buffer.from(page.data, 'base64');
      offset += content.length;
      await writeWithBackPressure(response, content);
      if (offset >= first.bytes) break;
      if (content.length === 0) throw new Error('the picture ends early');
    }
    response.end();
  } catch {
    response.destroy();
  }
}

/** Writes a page and resolves when the connection accepts more bytes; throws when the connection is closed. */
async function writeWithBackPressure(response: ServerResponse, content: Buffer): Promise<void> {
  if (!response.destroyed && !response.write(content)) {
    await new Promise<void>((resolve) => {
      // Listeners that stay would be as many as a picture has pages, and Node warns of a leak.
      const proceed = () => {
        response.off('drain', proceed).off('close', proceed);
        resolve();
      };
      response.on('drain', proceed).on('close', proceed);
    });
  }
  if (response.destroyed) throw new Error('the client has gone');
}
