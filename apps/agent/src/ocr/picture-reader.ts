import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { StepError, StoppedError } from '../step-error';
import { installedLanguageData, missingOcrPackages, type LanguageData } from './installation';
import { pictureSize } from './picture-size';

/** Reads the text of pictures. */
export interface PictureReader {
  /**
   * Throws StepError for a file that is no picture, exceeds a limit or cannot be read, or when packages are missing, and StoppedError as soon
   * as the signal aborts. A picture without text gives an empty text.
   */
  read(bytes: Buffer, signal: AbortSignal): Promise<string>;
}

export interface OcrLimits {
  /** Maximum memory of the picture and the OCR engine together; a colour picture of 25 million pixels needs about 400 MB. */
  memoryBytes: number;
  /** Time limit for one picture; the wait for earlier pictures does not count. */
  milliseconds: number;
  /** Maximum of width times height, as the header of the picture states them. */
  pixels: number;
}

export const OCR_LIMITS: OcrLimits = { memoryBytes: 512 * 1024 * 1024, milliseconds: 60_000, pixels: 25_000_000 };

/**
 * Reads pictures with tesseract.js, one at a time, so that the process needs the memory for one picture only. Each
 * picture has its own worker thread, which ends afterwards, so that an engine that a hostile picture broke reads no
 * other picture.
 */
export class TesseractReader implements PictureReader {
  private last: Promise<unknown> = Promise.resolve();

  constructor(
    private readonly limits = OCR_LIMITS,
    private readonly languages = installedLanguageData,
  ) {}

  async read(bytes: Buffer, signal: AbortSignal): Promise<string> {
    this.check(bytes);
    const languages = this.languages();
    if (!languages) {
      const missing = missingOcrPackages().join(' ');
      throw new StepError(
        `the agent's machine lacks packages for it: install them beside the agent (npm install ${missing})`,
      );
    }
    const turn = this.last.then(() => this.recognize(bytes, languages, signal));
    this.last = turn.catch(() => undefined);
    return unlessAborted(turn, signal);
  }

  private check(bytes: Buffer): void {
    const size = pictureSize(bytes);
    if (!size) throw new StepError('it is no picture; PNG, JPEG, WebP, GIF or BMP can be read');
    const { width, height } = size;
    if (width * height <= this.limits.pixels) return;
    throw new StepError(`it has ${width} × ${height} pixels, and at most ${this.limits.pixels} can be read`);
  }

  private async recognize(image: Buffer, languages: LanguageData[], signal: AbortSignal): Promise<string> {
    if (signal.aborted) throw new StoppedError();
    const { memoryBytes, milliseconds } = this.limits;
    const worker = new Worker(join(__dirname, 'ocr-worker.js'), {
      workerData: { image, languages, memoryBytes },
      env: {},
      argv: [],
      execArgv: [],
      resourceLimits: { maxOldGenerationSizeMb: 128 },
      // The OCR engine writes warnings about damaged pictures to its output.
      stdout: true,
      stderr: true,
    });
    try {
      return await unlessAborted(answerOf(worker, milliseconds), signal);
    } finally {
      await worker.terminate();
    }
  }
}

function answerOf(worker: Worker, milliseconds: number): Promise<string> {
  return new Promise((resolve, reject) => {
    const fail = (why: string) => reject(new StepError(`its text cannot be read: ${why}`));
    const timer = setTimeout(() => fail(`it takes longer than ${milliseconds / 1000} s`), milliseconds);
    worker.once('message', (message: unknown) => {
      const { text }: { text?: unknown } = Object(message);
      if (typeof text === 'string') resolve(text.trim());
      else fail('the picture is damaged, or needs too much memory');
    });
    worker.once('error', () => fail('the engine failed'));
    worker.once('exit', () => {
      clearTimeout(timer);
      fail('the engine ended early');
    });
  });
}

/** The result of the work, or StoppedError once the signal aborts; the work then ends by itself. */
function unlessAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const abort = () => reject(new StoppedError());
    if (signal.aborted) abort();
    signal.addEventListener('abort', abort, { once: true });
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', abort));
  });
}
