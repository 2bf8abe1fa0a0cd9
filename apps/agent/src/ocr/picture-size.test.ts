import { TOTAL_1234 } from '../../test/pictures';
import { pictureSize } from './picture-size';

const bytesOfHex = (text: string) => Buffer.from(text.replaceAll(' ', ''), 'hex');
const gif = Buffer.concat([Buffer.from('GIF89a'), bytesOfHex('0500 0300 00')]);
const bmp = Buffer.concat([Buffer.from('BM'), Buffer.alloc(12), bytesOfHex('28000000 05000000 fdffffff')]);
const webp = (kind: string, rest: string) =>
  Buffer.concat([Buffer.from('RIFF\0\0\0\0WEBP'), Buffer.from(kind), Buffer.alloc(4), bytesOfHex(rest)]);
// A JPEG with an APP0 segment of 4 bytes, fill bytes, a table and then the start of the frame.
const jpeg = bytesOfHex('ffd8 ffe0 0004 0000 ffff c400 02 ffc2 0011 08 0003 0005 00');

test.each<[string, Buffer, { width: number; height: number }]>([
  ['PNG', TOTAL_1234, { width: 424, height: 102 }],
  ['JPEG', jpeg, { width: 5, height: 3 }],
  ['GIF', gif, { width: 5, height: 3 }],
  ['BMP', bmp, { width: 5, height: 3 }],
  ['lossy WebP', webp('VP8 ', '000000 9d012a 0500 0340'), { width: 5, height: 3 }],
  ['lossless WebP', webp('VP8L', '2f 04800000'), { width: 5, height: 3 }],
  ['extended WebP', webp('VP8X', '00000000 040000 020000'), { width: 5, height: 3 }],
])('the header of a %s says its size', (_format, bytes, size) => {
  expect(pictureSize(bytes)).toEqual(size);
});

test('a bitmap with a negative width counts as one with too many pixels', () => {
  const { width = 0, height = 0 } =
    pictureSize(Buffer.concat([bmp.subarray(0, 18), bytesOfHex('ffffff80 ffffff7f')])) ?? {};
  expect(width * height).toBeGreaterThan(2 ** 31);
});

test.each<[string, Buffer]>([
  ['an empty file', Buffer.alloc(0)],
  ['a PDF', Buffer.from('%PDF-1.7 and more')],
  ['text that begins like a bitmap', Buffer.from('BMW')],
  ['a PNG that ends within its header', TOTAL_1234.subarray(0, 18)],
  ['a JPEG without a frame', jpeg.subarray(0, 12)],
  ['a JPEG with a broken segment', bytesOfHex('ffd8 ffe0 0004 0000 00')],
  ['a WebP of an unknown kind', webp('VP9 ', '00000000')],
])('%s is no picture', (_what, bytes) => {
  expect(pictureSize(bytes)).toBeUndefined();
});
