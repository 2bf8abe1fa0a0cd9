import { formsOf, jsonForms } from './sensitive-forms';
import { wellFormed } from './well-formed';

/** A longer text has no rare forms: their number would multiply its length. */
const MAX_LENGTH = 1_000;
/** Texts that JSON, HTML and URLs have as they are. */
const UNCHANGED_BY_ENCODERS = /^[\w.-]*$/;
const NON_ASCII = /[\u{80}-\u{10ffff}]/gu;

type Encoder = (text: string) => string;

/**
 * Further forms of a sensitive text, which programs write less often than those of `formsOf`: JSON and HTML with the escapes of
 * Go, .NET, PHP, Java and Ruby; a URL within a URL; upper-case hexadecimal; and all forms of the other Unicode normal form. A text of
 * ASCII letters, digits and `_.-`, which these programs leave unchanged, has only the hexadecimal form.
 */
export function rareFormsOf(text: string): string[] {
  if (text.length > MAX_LENGTH) return [];
  if (UNCHANGED_BY_ENCODERS.test(text)) return [upperHex(text)];
  const common = new Set(formsOf(text));
  const rare = new Set<string>();
  for (const unicode of new Set([text, text.normalize('NFC'), text.normalize('NFD')])) {
    for (const form of [...(unicode === text ? [] : formsOf(unicode)), ...rareEncodings(unicode)]) rare.add(form);
  }
  return [...rare].filter((form) => !common.has(form));
}

function rareEncodings(text: string): string[] {
  const urls = [text, ...doublePercentEncodings(text)];
  return [
    ...urls.slice(1).flatMap(jsonForms),
    ...urls.flatMap((form) => JSON_ENCODERS.map((encode) => encode(form))),
    ...htmlForms(text),
    upperHex(text),
  ];
}

function upperHex(text: string): string {
  return Buffer.from(text, 'utf8').toString('hex').toUpperCase();
}

/** The forms of a text as a parameter of a URL that is itself a parameter of another URL. */
function doublePercentEncodings(text: string): string[] {
  const encoded = encodeURIComponent(wellFormed(text));
  const forms = [encoded, encoded.replaceAll('%20', '+')].map((form) => encodeURIComponent(form));
  return [...forms, ...forms.map(withLowerCaseDigits)];
}

function withLowerCaseDigits(percentEncoded: string): string {
  return percentEncoded.replaceAll(/%(?:25)*[0-9A-F]{2}/g, (code) => code.toLowerCase());
}

const unicodeEscapeUpper: Encoder = (unit) => `\\u${hexOf(unit).toUpperCase().padStart(4, '0')}`;
const unicodeEscapeLower: Encoder = (unit) => `\\u${hexOf(unit).padStart(4, '0')}`;
const jsonContent: Encoder = (text) => JSON.stringify(text).slice(1, -1);
const escapeSlashes: Encoder = (json) => json.replaceAll('/', '\\/');
const escapeQuotesAsUnicode: Encoder = (json) =>
  json.replaceAll(/\\(.)/gs, (escape) => (escape === '\\"' ? '\\u0022' : escape));

/** UTF-16 units outside of ASCII. */
const NON_ASCII_UNITS = /[\u0080-\uffff]/g;

const JSON_ENCODERS: readonly Encoder[] = [
  // Go and Rails
  (text) => jsonContent(text).replaceAll(/[<>&\u2028\u2029]/g, unicodeEscapeLower),
  // Gson
  (text) => jsonContent(text).replaceAll(/[<>&'=\u2028\u2029]/g, unicodeEscapeLower),
  // System.Text.Json of .NET, also where it leaves letters as they are
  (text) => escapeQuotesAsUnicode(jsonContent(text)).replaceAll(/[<>&'+`\u007f]|[\u0080-\uffff]/g, unicodeEscapeUpper),
  (text) => escapeQuotesAsUnicode(jsonContent(text)).replaceAll(/[<>&'+`]/g, unicodeEscapeUpper),
  // PHP: plain, and with its flags for HTML
  (text) => escapeSlashes(jsonContent(text)),
  (text) =>
    escapeSlashes(
      escapeQuotesAsUnicode(jsonContent(text))
        .replaceAll(/[<>&']/g, unicodeEscapeUpper)
        .replaceAll(NON_ASCII_UNITS, unicodeEscapeLower),
    ),
  (text) =>
    escapeQuotesAsUnicode(jsonContent(text))
      .replaceAll(/[<>&']/g, unicodeEscapeUpper)
      .replaceAll(NON_ASCII_UNITS, unicodeEscapeLower),
  // Serializers for ASCII with upper-case digits
  (text) => jsonContent(text).replaceAll(NON_ASCII_UNITS, unicodeEscapeUpper),
];

const decimalReference: Encoder = (character) => `&#${character.codePointAt(0)};`;
const hexReferenceUpper: Encoder = (character) => `&#x${hexOf(character).toUpperCase()};`;
const hexReferenceLower: Encoder = (character) => `&#x${hexOf(character)};`;
const escapeMarkup: Encoder = (text) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
const escapeMarkupAndQuotes: Encoder = (text) => escapeMarkup(text).replaceAll('"', '&quot;');

const HTML_ENCODERS: readonly Encoder[] = [
  escapeMarkup,
  escapeMarkupAndQuotes,
  (text) => escapeMarkupAndQuotes(text).replaceAll("'", '&#39;'),
  (text) => escapeMarkupAndQuotes(text).replaceAll("'", '&#x27;'),
  // PHP
  (text) => escapeMarkupAndQuotes(text).replaceAll("'", '&#039;'),
  // XML and HTML 5
  (text) => escapeMarkupAndQuotes(text).replaceAll("'", '&apos;'),
  // Go
  (text) => escapeMarkup(text).replaceAll(/["']/g, decimalReference),
  // Handlebars, and Mustache, which escapes the slash as well
  (text) => escapeMarkupAndQuotes(text).replaceAll("'", '&#x27;').replaceAll(/[`=]/g, hexReferenceUpper),
  (text) => escapeMarkupAndQuotes(text).replaceAll("'", '&#39;').replaceAll(/[/`=]/g, hexReferenceUpper),
  (text) => escapeMarkupAndQuotes(text).replaceAll("'", '&#x27;').replaceAll(/[/`=]/g, hexReferenceUpper),
  (text) => escapeMarkupAndQuotes(text).replaceAll(/['/]/g, hexReferenceUpper),
  // .NET
  (text) => escapeMarkupAndQuotes(text).replaceAll(/['+`]/g, hexReferenceUpper),
  // Numbers only
  (text) => text.replaceAll(/[&<>"']/g, decimalReference),
  (text) => text.replaceAll(/[&<>"']/g, hexReferenceUpper),
];

function htmlForms(text: string): string[] {
  const forms = HTML_ENCODERS.map((encode) => encode(text));
  const numbered = [decimalReference, hexReferenceUpper].flatMap((encode) =>
    forms.map((form) => form.replaceAll(NON_ASCII, encode)),
  );
  const all = [...forms, ...numbered, text.replaceAll(NON_ASCII, hexReferenceLower)];
  return [...all, ...all.map((form) => form.replaceAll(/&#x[0-9A-F]+;/g, (code) => code.toLowerCase()))];
}

function hexOf(character: string): string {
  return (character.codePointAt(0) ?? 0).toString(16);
}
