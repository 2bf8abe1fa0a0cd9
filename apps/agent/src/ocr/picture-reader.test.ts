import { TOTAL_1234 } from '../../test/pictures';
import { checkOcr } from '../doctor/machine-checks';
import { OCR_LIMITS, TesseractReader } from './picture-reader';

const unabortedSignal = new AbortController().signal;
const LONG_TIME_LIMITS = { ...OCR_LIMITS, milliseconds: 240_000 };

test.each<[string, Buffer, Partial<typeof OCR_LIMITS>, RegExp]>([
  ['is no picture', Buffer.from('%PDF-1.7'), {}, /^it is no picture; PNG, JPEG, WebP, GIF or BMP can be read$/],
  ['has too many pixels', TOTAL_1234, { pixels: 43_247 }, /^it has 424 × 102 pixels, and at most 43247 can be read$/],
  ['is damaged', TOTAL_1234.subarray(0, 60), {}, /cannot be read: the picture is damaged, or needs too much memory$/],
  ['needs too much memory', TOTAL_1234, { memoryBytes: 1 }, /the picture is damaged, or needs too much memory$/],
  ['takes too long', TOTAL_1234, { milliseconds: 1 }, /cannot be read: it takes longer than 0.001 s$/],
])('a file that %s is refused with the reason', async (_fault, bytes, limits, message) => {
  await expect(
    new TesseractReader({ ...LONG_TIME_LIMITS, ...limits }).read(bytes, unabortedSignal),
  ).rejects.toMatchObject({
    name: 'StepError',
    message: expect.stringMatching(message),
  });
});

test('a stop ends the reading at once, also of a picture that waits for another one', async () => {
  const reader = new TesseractReader(LONG_TIME_LIMITS);
  const stop = new AbortController();
  const both = [reader.read(TOTAL_1234, stop.signal), reader.read(TOTAL_1234, stop.signal)];
  stop.abort();
  for (const reading of both) await expect(reading).rejects.toMatchObject({ name: 'StoppedError' });
});

test('on a machine without the packages the step says so, and the doctor says what to install', async () => {
  await expect(
    new TesseractReader(LONG_TIME_LIMITS, () => undefined).read(TOTAL_1234, unabortedSignal),
  ).rejects.toThrow(/npm install/);
  expect(checkOcr([])).toMatchObject({ state: 'ok' });
  expect(checkOcr(['tesseract.js', '@tesseract.js-data/por'])).toEqual({
    check: 'ocr',
    state: 'warning',
    found: 'the text of pictures cannot be read: tesseract.js, @tesseract.js-data/por missing',
    advice: 'for flows with {name.OCR}: npm install tesseract.js @tesseract.js-data/por beside the agent',
  });
});
