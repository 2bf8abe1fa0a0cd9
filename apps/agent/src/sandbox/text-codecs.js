'use strict';

/** Code that mentions one of the globals below; other code does without them, because to define them takes time in each evaluation. */
const USES_TEXT_CODECS = /\b(?:atob|btoa|TextEncoder|TextDecoder)\b/;

/**
 * Runs inside the sandbox before the author's code. Defines what browsers and Node have for base64 and bytes, without a host function:
 * texts lose their NUL characters on the way to one.
 */
const TEXT_CODECS = `(() => {
  const BASE64 = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';
  const VALUES = new Uint8Array(128);
  for (let value = 0; value < 64; value++) VALUES[BASE64.charCodeAt(value)] = value;
  /** The characters 0x80 to 0x9f of windows-1252; the others are those of Latin-1. */
  const WINDOWS_1252 = '€\\x81‚ƒ„…†‡ˆ‰Š‹Œ\\x8dŽ\\x8f\\x90‘’“”•–—˜™š›œ\\x9džŸ';
  const LABELS = {
    'utf-8': 'utf-8', 'utf8': 'utf-8',
    'windows-1252': 'windows-1252', 'cp1252': 'windows-1252', 'iso-8859-1': 'windows-1252', 'latin1': 'windows-1252',
    'us-ascii': 'windows-1252', 'ascii': 'windows-1252',
  };

  /** Collects code points; a call with all of them at once would have too many arguments. */
  const textBuilder = () => {
    const parts = [];
    let codes = [];
    const flush = () => {
      parts.push(String.fromCodePoint(...codes));
      codes = [];
    };
    const put = (code) => {
      if (codes.push(code) === 4096) flush();
    };
    const text = () => {
      flush();
      return parts.join('');
    };
    return { put, text };
  };

  function btoa(value) {
    const binary = String(value);
    const { put, text } = textBuilder();
    const digit = (bits) => put(BASE64.charCodeAt(bits & 63));
    for (let i = 0; i < binary.length; i += 3) {
      const a = binary.charCodeAt(i), b = binary.charCodeAt(i + 1), c = binary.charCodeAt(i + 2);
      if (a > 255 || b > 255 || c > 255) throw new Error('btoa: the text has a character beyond Latin-1');
      digit(a >> 2);
      digit((a << 4) | (b >> 4));
      if (i + 1 < binary.length) digit((b << 2) | (c >> 6));
      else put(61);
      if (i + 2 < binary.length) digit(c);
      else put(61);
    }
    return text();
  }

  function atob(value) {
    let encoded = String(value).replace(/[\\t\\n\\f\\r ]/g, '');
    if (encoded.length % 4 === 0) encoded = encoded.replace(/==?$/, '');
    if (encoded.length % 4 === 1 || /[^A-Za-z0-9+/]/.test(encoded)) throw new Error('atob: the text is not base64');
    const { put, text } = textBuilder();
    for (let i = 0; i < encoded.length; i += 4) {
      const count = Math.min(encoded.length - i, 4);
      let bits = 0;
      for (let j = 0; j < 4; j++) bits = (bits << 6) | (j < count ? VALUES[encoded.charCodeAt(i + j)] : 0);
      for (let j = 1; j < count; j++) put((bits >> (24 - 8 * j)) & 255);
    }
    return text();
  }

  /** The bits of the first byte of a character in UTF-8, by the number of bytes that follow it. */
  const LEAD_BITS = [0, 0xc0, 0xe0, 0xf0];

  class TextEncoder {
    get encoding() {
      return 'utf-8';
    }
    encode(value = '') {
      const text = String(value);
      const bytes = new Uint8Array(3 * text.length);
      let size = 0;
      for (const character of text) {
        let code = character.codePointAt(0);
        if (code >= 0xd800 && code <= 0xdfff) code = 0xfffd;
        const more = code < 0x80 ? 0 : code < 0x800 ? 1 : code < 0x10000 ? 2 : 3;
        bytes[size++] = LEAD_BITS[more] | (code >> (6 * more));
        for (let left = more - 1; left >= 0; left--) bytes[size++] = 0x80 | ((code >> (6 * left)) & 63);
      }
      return bytes.slice(0, size);
    }
  }

  const decodeUtf8 = (bytes, fatal) => {
    const { put, text } = textBuilder();
    for (let i = 0; i < bytes.length;) {
      const lead = bytes[i++];
      const length = lead < 0x80 ? 0 : lead < 0xc2 ? -1 : lead < 0xe0 ? 1 : lead < 0xf0 ? 2 : lead < 0xf5 ? 3 : -1;
      let missing = length;
      let code = length > 0 ? lead & (0x3f >> length) : lead;
      let lowest = lead === 0xe0 ? 0xa0 : lead === 0xf0 ? 0x90 : 0x80;
      let highest = lead === 0xed ? 0x9f : lead === 0xf4 ? 0x8f : 0xbf;
      while (missing > 0 && bytes[i] >= lowest && bytes[i] <= highest) {
        code = (code << 6) | (bytes[i++] & 63);
        missing--;
        lowest = 0x80;
        highest = 0xbf;
      }
      if (missing !== 0 && fatal) throw new TypeError('TextDecoder: the bytes are not valid utf-8');
      put(missing === 0 ? code : 0xfffd);
    }
    return text();
  };

  const decodeWindows1252 = (bytes) => {
    const { put, text } = textBuilder();
    for (const byte of bytes) put(byte >= 0x80 && byte < 0xa0 ? WINDOWS_1252.charCodeAt(byte - 0x80) : byte);
    return text();
  };

  class TextDecoder {
    constructor(label = 'utf-8', { fatal = false, ignoreBOM = false } = {}) {
      const name = String(label).trim().toLowerCase();
      if (!Object.hasOwn(LABELS, name)) throw new RangeError('TextDecoder knows utf-8 and windows-1252, not ' + label);
      this.encoding = LABELS[name];
      this.fatal = Boolean(fatal);
      this.ignoreBOM = Boolean(ignoreBOM);
    }
    decode(input = new Uint8Array(0), { stream = false } = {}) {
      if (stream) throw new TypeError('TextDecoder: decode takes all bytes at once, without stream');
      const isBuffer = input instanceof ArrayBuffer;
      if (!isBuffer && !ArrayBuffer.isView(input)) throw new TypeError('TextDecoder: decode takes bytes, such as a Uint8Array');
      const bytes = isBuffer ? new Uint8Array(input) : new Uint8Array(input.buffer, input.byteOffset, input.byteLength);
      if (this.encoding !== 'utf-8') return decodeWindows1252(bytes);
      const text = decodeUtf8(bytes, this.fatal);
      return !this.ignoreBOM && text.startsWith('\\ufeff') ? text.slice(1) : text;
    }
  }

  for (const value of [atob, btoa, TextEncoder, TextDecoder]) {
    Object.defineProperty(globalThis, value.name, { value, writable: true, configurable: true });
  }
})()`;

module.exports = { TEXT_CODECS, USES_TEXT_CODECS };
