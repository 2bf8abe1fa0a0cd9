'use strict';
// The first module of each bundle: stack traces name the TypeScript sources. Node's own support of source maps would read the
// map at each start, which takes a tenth of the start's processor time; this module reads the map at the first stack trace.
const { readFileSync } = require('node:fs');
const path = require('node:path');

const BASE64_ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';
/** Indexes of the fields source and line in a segment of a source map. */
const [SOURCE_FIELD, LINE_FIELD] = [1, 2];

let places;

Error.prepareStackTrace = (error, frames) =>
  [Error.prototype.toString.call(error), ...frames.map((frame) => `    at ${placeInSources(frame)}`)].join('\n');

function placeInSources(frame) {
  const text = String(frame);
  if (frame.getFileName() !== __filename) return text;
  places ??= readSourcePlaces();
  const line = frame.getLineNumber();
  // Lines of packages are not in the map.
  const place = places.get(line);
  if (!place) return text;
  const source = `${path.join(__dirname, place.file)}:${place.line}`;
  return text.replace(`${__filename}:${line}:${frame.getColumnNumber()}`, source);
}

/** File and line of the source by line of this bundle. Empty when the map cannot be read: a stack trace must not fail. */
function readSourcePlaces() {
  try {
    const { mappings, sources } = JSON.parse(readFileSync(`${__filename}.map`, 'utf8'));
    return placesOf(mappings, sources);
  } catch {
    return new Map();
  }
}

/**
 * The place in the sources of each line of the bundle; lines count from 1. The map has one segment for each line of a source, and only a
 * semicolon for each of the many lines of packages. The regular expression skips these at once, because the first stack trace delays the
 * whole process.
 */
function placesOf(mappings, sources) {
  const found = new Map();
  const digits = new Uint8Array(128);
  for (let digit = 0; digit < BASE64_ALPHABET.length; digit += 1) digits[BASE64_ALPHABET.charCodeAt(digit)] = digit;
  const fields = [0, 0, 0, 0];
  let segmentLength = 0;
  for (const { 0: segment, index } of mappings.matchAll(/[^;]+/g)) {
    let field = 0;
    let value = 0;
    let shift = 0;
    for (let at = 0; at < segment.length; at += 1) {
      const digit = digits[segment.charCodeAt(at)];
      value += (digit & 31) << shift;
      shift += 5;
      if (digit & 32) continue;
      fields[field] += value & 1 ? -(value >> 1) : value >> 1;
      field += 1;
      value = 0;
      shift = 0;
    }
    // All characters before this segment that belong to no segment are semicolons.
    found.set(index - segmentLength + 1, { file: sources[fields[SOURCE_FIELD]], line: fields[LINE_FIELD] + 1 });
    segmentLength += segment.length;
  }
  return found;
}
