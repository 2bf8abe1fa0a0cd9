import { crc32, deflateRawSync } from 'node:zlib';
import { readZip, writeZip, ZipError } from './zip';

const TEXTS = new Map([
  ['orders/process.json', '{"processName":"São Paulo"}'],
  ['orders/origins/shop.json', '{}'],
]);

test('texts that were written as a ZIP archive are read unchanged, and equal texts give equal bytes', async () => {
  const bytes = writeZip(TEXTS);
  expect(await readZip(bytes)).toEqual(TEXTS);
  expect(writeZip(TEXTS)).toEqual(bytes);
  expect(await readZip(writeZip(new Map()))).toEqual(new Map());
});

test('the checksum of each file in a ZIP archive is that of its bytes', () => {
  const bytes = writeZip(new Map([['a', 'text']]));
  const sum = new DataView(bytes.buffer).getUint32(14, true);
  expect(sum).toBe(crc32(Buffer.from('text')));
});

/** A ZIP archive whose only file, `a`, has this text, compressed by deflate. */
function deflatedArchive(text: string): Uint8Array<ArrayBuffer> {
  const content = deflateRawSync(Buffer.from(text));
  const bytes = Uint8Array.from(writeZip(new Map([['a', content.toString('latin1').replaceAll(/./gs, 'x')]])));
  bytes.set(content, 31);
  const view = new DataView(bytes.buffer);
  const central = 31 + content.length;
  for (const place of [8, central + 10]) view.setUint16(place, 8, true);
  return bytes;
}

test('files that another program has compressed into a ZIP archive are read', async () => {
  expect(await readZip(deflatedArchive('{"a":1}'.repeat(50)))).toEqual(new Map([['a', '{"a":1}'.repeat(50)]]));
});

test('a ZIP archive that unpacks into more than 20 MB is refused', async () => {
  await expect(readZip(deflatedArchive('0'.repeat(21 * 1024 * 1024)))).rejects.toThrow(
    'the archive has more than 20 MB',
  );
});

test.each([
  ['other text', new TextEncoder().encode('{"processName":"x"}'.repeat(9)), 'this is no ZIP archive'],
  ['an empty file', new Uint8Array(0), 'this is no ZIP archive'],
  ['a cut archive', writeZip(TEXTS).slice(30), 'the archive is damaged'],
])('as a ZIP archive, %s is refused', async (_, bytes, message) => {
  const reading = readZip(Uint8Array.from(bytes));
  await expect(reading).rejects.toThrow(ZipError);
  await expect(reading).rejects.toThrow(message);
});
