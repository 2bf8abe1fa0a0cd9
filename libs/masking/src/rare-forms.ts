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
 * letters and digits has only the hexadecimal form.
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
  const urls = [text, ...doublePercentEncoded(text)];
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
function doublePercentEncoded(text: string): string[] {
  const encoded = encodeURIComponent(wellFormed(text));
  const forms = [encoded, encoded.replaceAll('%20', '+')].map((form) => encodeURIComponent(form));
  return [...forms, ...forms.map(withLowerCaseDigits)];
}

function withLowerCaseDigits(percentEncoded: string): string {
  return percentEncoded.replaceAll(/%(?:25)*[0-9A-F]{2}/g, (code) => code.toLowerCase());
}

const upper: Encoder = (unit) => `\\u${hexOf(unit).toUpperCase().padStart(4, '0')}`;
const lower: Encoder = (unit) => `\\u${hexOf(unit).padStart(4, '0')}`;
const jsonOf: Encoder = (text) => JSON.stringify(text).slice(1, -1);
const escapedSlashes: Encoder = (json) => json.replaceAll('/', '\\/');
const escapedQuotes: Encoder = (json) =>
  json.replaceAll(/\\(.)/gs, (escape) => (escape === '\\"' ? '\\u0022' : escape));

/** UTF-16 units outside of ASCII. */
const NON_ASCII_UNITS = /[\u0080-\uffff]/g;

const JSON_ENCODERS: readonly Encoder[] = [
  // Go and Rails
  (text) => jsonOf(text).replaceAll(/[<>&\u2028\u2029]/g, lower),
  // Gson
  (text) => jsonOf(text).replaceAll(/[<>&'=\u2028\u2029]/g, lower),
  // System.Text.Json of .NET, also where it leaves letters as they are
  (text) => escapedQuotes(jsonOf(text)).replaceAll(/[<>&'+`\u007f]|[\u0080-\uffff]/g, upper),
  (text) => escapedQuotes(jsonOf(text)).replaceAll(/[<>&'+`]/g, upper),
  // PHP: plain, and with its flags for HTML
  (text) => escapedSlashes(jsonOf(text)),
  (text) =>
    escapedSlashes(
      escapedQuotes(jsonOf(text))
        .replaceAll(/[<>&']/g, upper)
        .replaceAll(NON_ASCII_UNITS, lower),
    ),
  (text) =>
    escapedQuotes(jsonOf(text))
      .replaceAll(/[<>&']/g, upper)
      .replaceAll(NON_ASCII_UNITS, lower),
  // Serializers for ASCII with upper-case digits
  (text) => jsonOf(text).replaceAll(NON_ASCII_UNITS, upper),
];

const decimal: Encoder = (character) => `&#${character.codePointAt(0)};`;
const hexUpper: Encoder = (character) => `&#x${hexOf(character).toUpperCase()};`;
const hexLower: Encoder = (character) => `&#x${hexOf(character)};`;
const named: Encoder = (text) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
const quoted: Encoder = (text) => named(text).replaceAll('"', '&quot;');

const HTML_ENCODERS: readonly Encoder[] = [
  named,
  quoted,
  (text) => quoted(text).replaceAll("'", '&#39;'),
  (text) => quoted(text).replaceAll("'", '&#x27;'),
  // PHP
  (text) => quoted(text).replaceAll("'", '&#039;'),
  // XML and HTML 5
  (text) => quoted(text).replaceAll("'", '&apos;'),
  // Go
  (text) => named(text).replaceAll(/["']/g, decimal),
  // Handlebars, and Mustache, which escapes the slash as well
  (text) => quoted(text).replaceAll("'", '&#x27;').replaceAll(/[`=]/g, hexUpper),
  (text) => quoted(text).replaceAll("'", '&#39;').replaceAll(/[/`=]/g, hexUpper),
  (text) => quoted(text).replaceAll("'", '&#x27;').replaceAll(/[/`=]/g, hexUpper),
  (text) => quoted(text).replaceAll(/['/]/g, hexUpper),
  // .NET
  (text) => quoted(text).replaceAll(/['+`]/g, hexUpper),
  // Numbers only
  (text) => text.replaceAll(/[&<>"']/g, decimal),
  (text) => text.replaceAll(/[&<>"']/g, hexUpper),
];

function htmlForms(text: string): string[] {
  const forms = HTML_ENCODERS.map((encode) => encode(text));
  const numbered = [decimal, hexUpper].flatMap((encode) => forms.map((form) => form.replaceAll(NON_ASCII, encode)));
  const all = [...forms, ...numbered, text.replaceAll(NON_ASCII, hexLower)];
  return [...all, ...all.map((form) => form.replaceAll(/&#x[0-9A-F]+;/g, (code) => code.toLowerCase()))];
}

function hexOf(character: string): string {
  return (character.codePointAt(0) ?? 0).toString(16);
}
