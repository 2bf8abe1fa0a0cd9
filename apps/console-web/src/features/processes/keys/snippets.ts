import type { VariableAnswer } from '../../../api/generated/console-api';

export const START_SNIPPET_LANGUAGES = ['curl', 'javascript', 'python'] as const;
export type SnippetLanguage = (typeof START_SNIPPET_LANGUAGES)[number];

/** Names of the environment variables from which snippets read the two secrets of a start. */
const CREDENTIAL = 'BATUTA_CREDENTIAL';
const PROCESS_KEY = 'BATUTA_PROCESS_KEY';

/** Stands for the value of a Secreto, which has no default. */
const SECRET_PLACEHOLDER = '…';

/** The value that an example call sends for a variable without a default: it shows how values of its type are written. A text names its variable. */
const EXAMPLES: Record<VariableAnswer['type'], (name: string) => unknown> = {
  Texto: (name) => `<${name}>`,
  Número: () => 12.5,
  Moeda: () => '1.234,56',
  'Verdadeiro/Falso': () => false,
  Lista: () => ['A', 'B'],
  Objeto: () => ({ number: 1 }),
  Secreto: () => SECRET_PLACEHOLDER,
};

const SNIPPET_WRITERS: Record<SnippetLanguage, (url: string, body: unknown, key: string | undefined) => string> = {
  curl: curlSnippet,
  javascript: javascriptSnippet,
  python: pythonSnippet,
};

interface SnippetFacts {
  gatewayURL: string;
  processID: string;
  matrix: readonly VariableAnswer[];
  /**
   * The process key while the page shows it; otherwise the snippet reads it, like the credential, from an environment
   * variable.
   */
  processKey?: string;
}

/** The text of a program, or of a shell command, that starts the process with example values. */
export function startSnippet(language: SnippetLanguage, facts: SnippetFacts): string {
  const url = `${facts.gatewayURL.replace(/\/+$/, '')}/v1/processes/${facts.processID}/start`;
  const body = { matrix: exampleMatrix(facts.matrix) };
  return SNIPPET_WRITERS[language](url, body, facts.processKey);
}

/** A value for each variable: its default, or else an example of its type. */
export function exampleMatrix(variables: readonly VariableAnswer[]): Record<string, unknown> {
  return Object.fromEntries(
    variables.map((variable) => [variable.name, hasDefault(variable) ? variable.default : exampleOf(variable)]),
  );
}

const exampleOf = ({ name, type }: VariableAnswer): unknown => EXAMPLES[type](name);

/** Empty values count as no default, except `false`, which serves as an example. The API returns no default of a Secreto. */
function hasDefault({ type, default: value }: VariableAnswer): boolean {
  if (type === 'Secreto' || value === null || value === '') return false;
  return !(Array.isArray(value) && value.length === 0);
}

function curlSnippet(url: string, body: unknown, key: string | undefined): string {
  return [
    `curl -X POST ${inShell(url)}`,
    `  -H "Authorization: Bearer $${CREDENTIAL}"`,
    key === undefined ? `  -H "X-Process-Key: $${PROCESS_KEY}"` : `  -H ${inShell(`X-Process-Key: ${key}`)}`,
    `  -H 'Content-Type: application/json'`,
    `  -d ${inShell(jsonText(body))}`,
  ].join(' \\\n');
}

function javascriptSnippet(url: string, body: unknown, key: string | undefined): string {
  return `const response = await fetch(${JSON.stringify(url)}, {
  method: 'POST',
  headers: {
    Authorization: \`Bearer \${process.env.${CREDENTIAL}}\`,
    'X-Process-Key': ${key === undefined ? `process.env.${PROCESS_KEY}` : JSON.stringify(key)},
    'Content-Type': 'application/json',
  },
  body: JSON.stringify(${indented(jsonText(body, 2))}),
});
console.log(response.status, await response.json());`;
}

function pythonSnippet(url: string, body: unknown, key: string | undefined): string {
  return `import json, os, urllib.request

request = urllib.request.Request(
    ${JSON.stringify(url)},
    method="POST",
    headers={
        "Authorization": "Bearer " + os.environ["${CREDENTIAL}"],
        "X-Process-Key": ${key === undefined ? `os.environ["${PROCESS_KEY}"]` : JSON.stringify(key)},
        "Content-Type": "application/json",
    },
    data=json.dumps(${pythonLiteral(body)}).encode(),
)
print(urllib.request.urlopen(request).read().decode())`;
}

/** The text as one quoted word of a POSIX shell. */
export const inShell = (text: string): string => `'${text.replaceAll("'", String.raw`'\''`)}'`;

/**
 * JSON for a program that is pasted into a terminal: it escapes the control characters that JSON itself allows, because a terminal obeys them. The
 * delete character, for instance, erases what stands before it, such as a quotation mark.
 */
export const jsonText = (value: unknown, indent?: number): string =>
  JSON.stringify(value, null, indent).replaceAll(
    /[\u007f-\u009f]/g,
    (character) => `\\u00${character.charCodeAt(0).toString(16)}`,
  );

const indented = (text: string): string => text.replaceAll('\n', '\n  ');

/** A JSON value in Python: texts and numbers are written as in JSON, while `true`, `false` and `null` have other names. */
function pythonLiteral(value: unknown): string {
  if (value === null) return 'None';
  if (typeof value === 'boolean') return value ? 'True' : 'False';
  if (Array.isArray(value)) return `[${value.map(pythonLiteral).join(', ')}]`;
  if (typeof value !== 'object') return jsonText(value);
  const entries = Object.entries(value).map(([key, item]) => `${jsonText(key)}: ${pythonLiteral(item)}`);
  return `{${entries.join(', ')}}`;
}
