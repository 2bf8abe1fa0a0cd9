'use strict';
// The first module of each bundle: stack traces name the TypeScript sources. Node's own support of source maps would read the
// map at each start, which is a tenth of its processor time; this reads it at the first stack trace.
const { readFileSync } = require('node:fs');
const path = require('node:path');

const BASE64 = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';
/** The place of a source in a segment of a map, and of a line in it. */
const [SOURCE, LINE] = [1, 2];

let places;

Error.prepareStackTrace = (error, frames) =>
  [Error.prototype.toString.call(error), ...frames.map((frame) => `    at ${inSources(frame)}`)].join('\n');

function inSources(frame) {
  const text = String(frame);
  if (frame.getFileName() !== __filename) return text;
  places ??= readPlaces();
  const line = frame.getLineNumber();
  // Lines of packages are not in the map.
  const place = places.get(line);
  return place ? text.replace(`${__filename}:${line}:${frame.getColumnNumber()}`, place) : text;
}

/** `file:line` of the source by line of this bundle. Empty when the map cannot be read: a stack trace must not fail. */
function readPlaces() {
  try {
    const { mappings, sources } = JSON.parse(readFileSync(`${__filename}.map`, 'utf8'));
    const files = sources.map((source) => path.join(__dirname, source));
    return new Map(linesOf(mappings).map(([bundled, source, line]) => [bundled + 1, `${files[source]}:${line + 1}`]));
  } catch {
    return new Map();
  }
}

/** Line of the bundle, number of the source and line of it, all from 0. The map has one segment for each of these lines. */
function linesOf(mappings) {
  const lines = [];
  const fields = [0, 0, 0, 0];
  let [line, field, value, shift] = [0, 0, 0, 0];
  for (const character of mappings) {
    const digit = BASE64.indexOf(character);
    if (digit === -1) {
      line += Number(character === ';');
      field = 0;
      continue;
    }
    value += (digit & 31) << shift;
    shift += 5;
    if (digit & 32) continue;
    fields[field] += value & 1 ? -(value >> 1) : value >> 1;
    if (field === LINE) lines.push([line, fields[SOURCE], fields[LINE]]);
    [field, value, shift] = [field + 1, 0, 0];
  }
  return lines;
}
