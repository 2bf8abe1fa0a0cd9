'use strict';
const { readdirSync, readFileSync } = require('node:fs');
const path = require('node:path');

/** Kinds of files that may cite docs/contract.md. */
const CITING_FILE = /\.(ts|tsx|cts|mts|js|cjs|mjs|md|yml|yaml|conf|cnf|sh|sql|css|tpl)$/;
const SKIPPED_FOLDERS = ['node_modules', 'dist', 'coverage'];

// A citation may be wrapped inside a comment: the gap may hold the comment mark (`*`, `//`, `#` or `--`) of the next line.
const GAP = String.raw`(?:\s|\n\s*(?:\*|//|#|--))`;
const NUMBER = String.raw`\d+(?:\.\d+)*b?(?!\w)`;
const SEPARATOR = `(?:${GAP}*,${GAP}*(?:and${GAP}+)?|${GAP}+and${GAP}+|${GAP}*[–-]${GAP}*)`;
const LIST_OF_NUMBERS = `${NUMBER}(?:${SEPARATOR}${NUMBER})*`;
const CITATION = new RegExp(
  String.raw`\b(contract|interpretations?)${GAP}+(${LIST_OF_NUMBERS})(?:${GAP}+rule${GAP}+(\d+))?`,
  'giu',
);
/** Citations by words of documents that the repository does not have. */
const FORMER_CITATION = new RegExp(String.raw`\b(?:spec|readings?)${GAP}+${NUMBER}`, 'giu');

/**
 * The sections of `docs/contract.md` (headings that begin with a number) with their numbered rules, and its interpretations (list
 * items that begin with a bold number).
 */
function readContract(markdown) {
  const sections = new Map();
  const interpretations = new Set();
  let rules = new Set();
  for (const line of markdown.split('\n')) {
    const section = /^#{2,3} (\d+(?:\.\d+)?b?) /.exec(line)?.[1];
    if (section !== undefined) sections.set(section, (rules = new Set()));
    const rule = /^(\d+)\. /.exec(line)?.[1];
    if (rule !== undefined) rules.add(rule);
    const interpretation = /^- \*\*(\d+b?)\.\*\* /.exec(line)?.[1];
    if (interpretation !== undefined) interpretations.add(interpretation);
  }
  return { sections, interpretations };
}

/** Complaints about citations in a text whose section, rule or interpretation does not exist, each with the line. */
function complaintsAboutCitations(text, contract) {
  const complaints = [];
  const complain = (index, what) => complaints.push(`line ${text.slice(0, index).split('\n').length}: ${what}`);
  for (const { 0: cited, index } of text.matchAll(FORMER_CITATION)) {
    complain(index, `"${oneLine(cited)}" cites no page of the project`);
  }
  for (const { 1: kind, 2: list, 3: rule, index } of text.matchAll(CITATION)) {
    const word = kind.toLowerCase().startsWith('contract') ? 'contract' : 'interpretation';
    const known = word === 'contract' ? contract.sections : contract.interpretations;
    const numbers = numbersOf(list);
    for (const number of numbers.filter((each) => !known.has(each)))
      complain(index, `${word} ${number} does not exist`);
    const section = numbers.at(-1);
    if (rule !== undefined && known.has(section) && !contract.sections.get(section)?.has(rule)) {
      complain(index, `${word} ${section} has no rule ${rule}`);
    }
  }
  return complaints;
}

/** `3–5, 7 and 36b` → 3, 4, 5, 7, 36b. Of a range of sections, such as `4.1–4.3`, only the two ends are returned. */
function numbersOf(list) {
  const numbers = list.match(/\d+(?:\.\d+)*b?/gu) ?? [];
  return numbers.flatMap((number, index) => [
    ...numbersBetween(numbers[index - 1], separatorBefore(list, index), number),
    number,
  ]);
}

/** The text between two numbers, without the `--` of an SQL comment, which must not count as the dash of a range. */
function separatorBefore(list, index) {
  return (list.split(/\d+(?:\.\d+)*b?/u)[index] ?? '').replace(/\n\s*--/u, ' ');
}

function numbersBetween(first, separator, last) {
  if (first === undefined || !/[–-]/u.test(separator) || /\./u.test(first + last)) return [];
  const length = Math.max(0, parseInt(last, 10) - parseInt(first, 10) - 1);
  return Array.from({ length }, (_, index) => String(parseInt(first, 10) + 1 + index));
}

function oneLine(text) {
  return text.replace(/\s+/gu, ' ');
}

function mayCite(file) {
  return CITING_FILE.test(file);
}

/** Complaints about every file of the project that may cite the contract. */
function checkCitations(root) {
  const contract = readContract(readFileSync(path.join(root, 'docs', 'contract.md'), 'utf8'));
  return citingFiles(root).flatMap((file) =>
    complaintsAboutCitations(readFileSync(path.join(root, file), 'utf8'), contract).map((what) => `${file}, ${what}`),
  );
}

/** Paths from the root, without generated, installed and hidden folders. Works without git, as in an unpacked archive. */
function citingFiles(root, folder = '') {
  return readdirSync(path.join(root, folder), { withFileTypes: true }).flatMap((entry) => {
    const file = path.posix.join(folder, entry.name);
    if (entry.isFile()) return mayCite(entry.name) ? [file] : [];
    const skipped = !entry.isDirectory() || entry.name.startsWith('.') || SKIPPED_FOLDERS.includes(entry.name);
    return skipped ? [] : citingFiles(root, file);
  });
}

module.exports = { checkCitations, complaintsAboutCitations, mayCite, readContract };
