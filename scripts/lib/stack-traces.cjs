'use strict';
// The first module of each bundle: stack traces name the TypeScript sources. Node's own support of source maps would read the
// map at each start, which is a tenth of its processor time; this reads it at the first stack trace.
const { readFileSync } = require('node:fs');
const { SourceMap } = require('node:module');
const path = require('node:path');

let map;

Error.prepareStackTrace = (error, frames) =>
  [Error.prototype.toString.call(error), ...frames.map((frame) => `    at ${inSources(frame)}`)].join('\n');

function inSources(frame) {
  const text = String(frame);
  if (frame.getFileName() !== __filename) return text;
  const line = frame.getLineNumber();
  const entry = mapOfBundle()?.findEntry(line - 1, frame.getColumnNumber() - 1);
  // Lines of packages are not in the map, which then gives the nearest line before.
  if (entry?.generatedLine !== line - 1) return text;
  const source = path.join(__dirname, entry.originalSource);
  return text.replace(`${__filename}:${line}:${frame.getColumnNumber()}`, `${source}:${entry.originalLine + 1}`);
}

function mapOfBundle() {
  if (map === undefined) map = readMap();
  return map ?? undefined;
}

/** Null when it cannot be read: a stack trace must not fail. */
function readMap() {
  try {
    return new SourceMap(JSON.parse(readFileSync(`${__filename}.map`, 'utf8')));
  } catch {
    return null;
  }
}
