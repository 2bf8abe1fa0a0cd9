import type { Dispatcher } from 'undici';
import { createBrotliDecompress, createGunzip } from 'node:zlib';
import { passOn } from './pass-on';

/** By the value of Content-Encoding. The forms of `deflate` differ among servers, so such an answer is left to fetch. */
const DECODERS = new Map([
  ['gzip', createGunzip],
  ['x-gzip', createGunzip],
  ['br', createBrotliDecompress],
]);
/** Fetch refuses more encodings of one answer, and later throws an error that nobody can catch when the rest of that answer does not arrive. */
const MAX_ENCODINGS = 5;
/**
 * Maximum bytes that wait for the decoder. On a fast network, a gzip answer of 17 MB whose data cannot be compressed exceeds it. That harms
 * nobody, because all readers cancel at 5 MB or less; a reader with a greater limit needs a greater one here.
 */
const MAX_WAITING_BYTES = 16 * 1024 * 1024;

type Controller = Dispatcher.DispatchController;
type Decoder = ReturnType<typeof createGunzip> | ReturnType<typeof createBrotliDecompress>;

/**
 * Decodes answers with one encoding of DECODERS, and fails those that end before their compressed data do: fetch would take them for complete.
 * Any other encoding is left to fetch. No reader pauses the connection: when a server closes a paused one, undici 7 and the fetch of Node 24
 * throw an error that nobody can catch. So a reader must read on without a pause, and must cancel an answer that is too large for it.
 */
export function wholeBodies(dispatch: Dispatcher['dispatch']): Dispatcher['dispatch'] {
  return (options, handler) => dispatch(options, wholeBodyHandler(handler, options.method === 'HEAD'));
}

function wholeBodyHandler(handler: Dispatcher.DispatchHandler, isHead: boolean): Dispatcher.DispatchHandler {
  const reader = passOn(handler);
  let decoder: Decoder | undefined;
  let isEmpty = true;
  /** Whether the decoder has found the end of its data. */
  let isDecoded = false;
  /** Passes on the end of the answer; undefined until all its bytes have arrived. */
  let end: (() => void) | undefined;
  return {
    ...reader,
    onResponseStart: (controller, status, headers, text) => {
      const { 'content-encoding': encoding, ...others } = headers;
      if (String(encoding).split(',').length > MAX_ENCODINGS) {
        return controller.abort(new Error(`the answer has more than ${MAX_ENCODINGS} encodings`));
      }
      const hasBody = !isHead && status >= 200;
      const found = hasBody ? DECODERS.get(String(encoding).trim().toLowerCase())?.() : undefined;
      if (!found) return reader.onResponseStart?.(unpausable(controller), status, headers, text);
      decoder = found;
      const readerControl = unpausable(controller, found);
      found.on('data', (chunk: Buffer) => reader.onResponseData?.(readerControl, chunk));
      found.on('end', () => {
        isDecoded = true;
        end?.();
      });
      found.on('error', (error) => {
        // An answer whose bytes have all arrived cannot be aborted any more.
        if (end) reader.onResponseError?.(readerControl, error);
        else controller.abort(error);
      });
      reader.onResponseStart?.(readerControl, status, others, text);
    },
    onResponseData: (controller, chunk) => {
      isEmpty = false;
      if (!decoder) return reader.onResponseData?.(unpausable(controller), chunk);
      // Bytes behind the end of the data are ignored, as fetch does.
      if (!isDecoded) decoder.write(chunk);
      if (decoder.writableLength > MAX_WAITING_BYTES) controller.abort(new Error('the answer arrives too fast'));
    },
    onResponseEnd: (controller, trailers) => {
      end = () => reader.onResponseEnd?.(unpausable(controller), trailers);
      if (!decoder || isEmpty || isDecoded) end();
      else decoder.end();
    },
    onResponseError: (controller, error) => {
      decoder?.destroy();
      reader.onResponseError?.(controller, error);
    },
  };
}

/** A controller with which a reader pauses at most the decoder, never the connection. */
function unpausable(controller: Controller, decoder?: Decoder): Controller {
  return {
    pause: () => void decoder?.pause(),
    resume: () => void decoder?.resume(),
    abort: (reason) => controller.abort(reason),
    get paused() {
      return decoder?.isPaused() ?? false;
    },
    get aborted() {
      return controller.aborted;
    },
    get reason() {
      return controller.reason;
    },
  };
}
