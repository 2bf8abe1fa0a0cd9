'use strict';
const { existsSync, readFileSync } = require('node:fs');
const path = require('node:path');

/** Maximum number of entries: nobody reads a longer glossary. */
const MAX_ENTRIES = 70;

/** Reads `docs/glossary.md`: an entry is a list item that begins with its bold word and names paths in backticks. */
function readGlossary(markdown) {
  return markdown
    .split(/^(?=- |#)/mu)
    .filter((block) => block.startsWith('- '))
    .map((block) => ({
      word: /^- \*\*([^*]+)\*\*/u.exec(block)?.[1],
      text: block,
      paths: [...block.matchAll(/`([^`\s/][^`\s]*\/[^`\s]*)`/gu)].map((match) => match[1]),
    }));
}

function complaintsAboutGlossary(entries, root) {
  const words = entries.map(({ word }) => word?.toLowerCase());
  return [
    ...(entries.length > MAX_ENTRIES ? [`has ${entries.length} entries, more than ${MAX_ENTRIES}`] : []),
    ...entries.flatMap((entry, index) => complaintsAboutEntry(entry, words.indexOf(words[index]) < index, root)),
  ];
}

function complaintsAboutEntry({ word, text, paths }, isRepeated, root) {
  if (word === undefined) return [`an entry has no word: ${text.split('\n')[0]}`];
  const complaints = paths.filter((file) => !existsSync(path.join(root, file))).map((file) => `${file} does not exist`);
  if (paths.length === 0) complaints.push('no path says where it lives');
  if (hasMoreSentences(text)) complaints.push('has more than one sentence');
  if (isRepeated) complaints.push('is explained twice');
  return complaints.map((what) => `${word}: ${what}`);
}

/** Whether the text has a second sentence, also one after a path in backticks. */
function hasMoreSentences(text) {
  return /[.!?]\s+\p{L}/u.test(text.replace(/`[^`]*`/gu, ''));
}

function checkGlossary(root) {
  const entries = readGlossary(readFileSync(path.join(root, 'docs', 'glossary.md'), 'utf8'));
  return complaintsAboutGlossary(entries, root).map((what) => `docs/glossary.md, ${what}`);
}

module.exports = { MAX_ENTRIES, checkGlossary, complaintsAboutGlossary, readGlossary };
