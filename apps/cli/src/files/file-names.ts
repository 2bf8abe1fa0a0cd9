const MAX_NAME_LENGTH = 60;
/** Names that Windows keeps for devices. */
const DEVICE_NAME = /^(con|prn|aux|nul|com\d|lpt\d)$/;

/** A name of a file or folder for any system, made from a name that people gave: no separators, dots or controls. */
export function fileNameOf(name: string): string {
  const plain = name
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .slice(0, MAX_NAME_LENGTH)
    .replace(/^-+|-+$/g, '');
  if (plain === '') return 'unnamed';
  return DEVICE_NAME.test(plain) ? `${plain}-` : plain;
}

/** `fileNameOf`, with a number where it is taken; the name is taken from then on. */
export function freeFileName(name: string, taken: Set<string>): string {
  const wanted = fileNameOf(name);
  let free = wanted;
  for (let number = 2; taken.has(free); number += 1) free = `${wanted}-${number}`;
  taken.add(free);
  return free;
}
