import { existsSync } from 'node:fs';
import { findPackageJSON } from 'node:module';
import { dirname, join } from 'node:path';

/** Data of one language, as a compressed file on this machine. */
export interface LanguageData {
  code: string;
  filePath: string;
}

const LANGUAGE_CODES = ['por', 'eng'];
/** Small data of the LSTM engine; the packages have a larger variant too. */
const DATA_VARIANT = '4.0.0_best_int';

/** The packages that reading pictures needs; they are optional, because they are larger than the rest of the agent. */
export const OCR_PACKAGES = ['tesseract.js', ...LANGUAGE_CODES.map((code) => `@tesseract.js-data/${code}`)];

/** Those of OCR_PACKAGES that this machine lacks. */
export function missingOcrPackages(): string[] {
  return OCR_PACKAGES.filter((name) => folderOf(name) === undefined);
}

/** The language data of this machine; undefined when a package is missing. */
export function installedLanguageData(): LanguageData[] | undefined {
  if (missingOcrPackages().length > 0) return undefined;
  return LANGUAGE_CODES.map((code) => ({
    code,
    filePath: join(folderOf(`@tesseract.js-data/${code}`) ?? '', DATA_VARIANT, `${code}.traineddata.gz`),
  }));
}

function folderOf(name: string): string | undefined {
  try {
    const manifest = findPackageJSON(name, __filename);
    return manifest !== undefined && existsSync(manifest) ? dirname(manifest) : undefined;
  } catch {
    return undefined;
  }
}
