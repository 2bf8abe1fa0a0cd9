const MAX_NAME_LENGTH = 60;
/** Names that Windows keeps for devices. */
const DEVICE_NAME = /^(con|prn|aux|nul|com\d|lpt\d)$/;

/**
 * Turns a name that a person chose into a file name that is valid on every system: without separators, dots and control
 * characters.
 */
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

/** `fileNameOf` with a number if the name is taken; adds the result to `taken`. */
export function freeFileName(name: string, taken: Set<string>): string {
  const wanted = fileNameOf(name);
  let free = wanted;
  for (let number = 2; taken.has(free); number += 1) free = `${wanted}-${number}`;
  taken.add(free);
  return free;
}
