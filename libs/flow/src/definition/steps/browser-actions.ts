import { FLOW_LIMITS, integerSchema, listSchema, textSchema } from '../schema-parts';

const MAX_SELECTOR_CHARACTERS = 2_000;
const MAX_FRAMES = 10;
const MAX_OPTIONS = 100;
const MAX_ACTION_SECONDS = FLOW_LIMITS.timeoutSeconds;

const timeoutSecondsSchema = {
  ...integerSchema(1, MAX_ACTION_SECONDS),
  description: 'Time of this action; absent = 30, and never more than what is left of the time of the step.',
} as const;

/** How an action names an element of a page. */
const elementFields = {
  selector: {
    ...textSchema(MAX_SELECTOR_CHARACTERS, 1),
    description:
      'The element: CSS ("#total", "form >> text=Salvar"), "text=…", "role=button[name=Salvar]" or "xpath=…". It must find one element, unless nth says which, all reads every one, or the action is fastCheck.',
  },
  nth: { ...integerSchema(0, 10_000), description: 'Which of several elements that the selector finds, from 0.' },
  frame: {
    description:
      'Selector of the frame (iframe) that has the element, or a list of them from the outermost to the innermost.',
    anyOf: [
      textSchema(MAX_SELECTOR_CHARACTERS, 1),
      { ...listSchema(textSchema(MAX_SELECTOR_CHARACTERS, 1), MAX_FRAMES), minItems: 1 },
    ],
  },
  timeoutSeconds: timeoutSecondsSchema,
} as const;

const typedTextSchema = {
  ...textSchema(FLOW_LIMITS.text),
  description: 'The text, as for people: Moeda as 1.234,56. A secret is hidden in log and pictures.',
} as const;

const resultFieldSchema = {
  ...textSchema(FLOW_LIMITS.name, 1),
  description:
    'Field of {as} that gets the value, as in {as.total}. Absent = {as} itself is the value, when the step reads one.',
} as const;

const everyElementSchema = {
  type: 'boolean',
  description: 'Reads every element that the selector finds, as a list, without waiting for any.',
} as const;

/** The schema of one action: a closed object with examples. */
function actionSchema<const Name extends string, const Required extends readonly string[], const Fields, const Example>(
  name: Name,
  description: string,
  required: Required,
  fields: Fields,
  example: Example,
) {
  return {
    type: 'object',
    description,
    properties: { action: { const: name }, ...fields },
    required: ['action', ...required],
    additionalProperties: false,
    examples: [{ action: name, ...example }],
  } as const;
}

/** What a `browser` step can do in a page. Every text is a template, except `into`, the name of a field, and the fixed choices. */
export const BROWSER_ACTION_SCHEMAS = [
  actionSchema(
    'open',
    'Opens an http or https address in the active tab and waits as `until` says.',
    ['url'],
    {
      url: textSchema(4000, 1),
      until: {
        enum: ['load', 'content', 'answer'],
        description:
          'How long to wait: for the page with its images and frames (load, the default), for its content, or for the beginning of the answer.',
      },
      timeoutSeconds: timeoutSecondsSchema,
    },
    { url: 'https://erp.example/orders/{matrix.order.id}' },
  ),
  actionSchema(
    'click',
    'Clicks an element, and waits until a page that the click opens has begun to load.',
    ['selector'],
    {
      ...elementFields,
      button: { enum: ['left', 'right', 'middle'] },
      count: { ...integerSchema(1, 3), description: '2 = a double click.' },
    },
    { selector: 'role=button[name=Salvar]' },
  ),
  actionSchema('hover', 'Moves the mouse over an element.', ['selector'], elementFields, { selector: '#menu' }),
  actionSchema(
    'fill',
    'Replaces the content of a text field.',
    ['selector', 'value'],
    { ...elementFields, value: typedTextSchema },
    { selector: '#total', value: '{total}' },
  ),
  actionSchema(
    'type',
    'Types a text key by key, for fields that react to keys. Without a selector into the element that has the focus.',
    ['value'],
    { ...elementFields, value: typedTextSchema },
    { selector: '#search', value: '{matrix.customer}' },
  ),
  actionSchema(
    'press',
    'Presses a key or a combination: Enter, Tab, Escape, ArrowDown, F5, Control+A. Without a selector in the element that has the focus.',
    ['key'],
    { ...elementFields, key: textSchema(50, 1) },
    { selector: '#search', key: 'Enter' },
  ),
  actionSchema(
    'select',
    'Selects options of a list (select) by their value or their text.',
    ['selector', 'options'],
    {
      ...elementFields,
      options: {
        description: 'One option, or a list of them.',
        anyOf: [textSchema(4000), listSchema(textSchema(4000), MAX_OPTIONS)],
      },
    },
    { selector: '#state', options: 'São Paulo' },
  ),
  actionSchema(
    'check',
    'Ticks a checkbox or a radio button.',
    ['selector'],
    { ...elementFields, checked: { type: 'boolean', description: 'false = takes the tick away; absent = true.' } },
    { selector: '#accept', checked: true },
  ),
  actionSchema(
    'upload',
    'Puts files of the execution into a file field.',
    ['selector', 'files'],
    {
      ...elementFields,
      files: {
        description: 'A reference to a file, such as {invoice.FILE}, or a list of them.',
        anyOf: [textSchema(4000, 1), { ...listSchema(textSchema(4000, 1), 50), minItems: 1 }],
      },
    },
    { selector: 'input[type=file]', files: '{invoice.FILE}' },
  ),
  actionSchema(
    'download',
    'Clicks an element and keeps the file whose download begins, as {as.FILE} and {as.BUFFER}. At most one in a step.',
    ['selector'],
    elementFields,
    { selector: 'text=Baixar nota' },
  ),
  actionSchema(
    'waitFor',
    'Waits until an element is in a state, until the page shows a text, or until the tab has an address; of several until all hold.',
    [],
    {
      ...elementFields,
      state: { enum: ['visible', 'hidden', 'attached', 'detached'], description: 'Of the element; absent = visible.' },
      text: { ...textSchema(4000, 1), description: 'A text that the page, or the frame, shows.' },
      url: {
        ...textSchema(4000, 1),
        description: 'An address, where ** stands for any text and * for any without a slash.',
      },
    },
    { selector: '#result', state: 'visible', timeoutSeconds: 60 },
  ),
  actionSchema(
    'readText',
    'Reads the visible text of an element; of a field, its content.',
    ['selector'],
    { ...elementFields, all: everyElementSchema, into: resultFieldSchema },
    { selector: '#protocol', into: 'protocol' },
  ),
  actionSchema(
    'readAttribute',
    'Reads an attribute of an element; empty without it.',
    ['selector', 'attribute'],
    { ...elementFields, attribute: textSchema(200, 1), all: everyElementSchema, into: resultFieldSchema },
    { selector: 'a.invoice', attribute: 'href', into: 'link' },
  ),
  actionSchema(
    'readTable',
    'Reads a table as a list of objects, one for each row, with the texts of the header as their fields.',
    ['selector'],
    {
      ...elementFields,
      maxRows: { ...integerSchema(1, 10_000), description: 'More rows fail the step; absent = 1000.' },
      into: resultFieldSchema,
    },
    { selector: 'table.orders', into: 'orders' },
  ),
  actionSchema(
    'fastCheck',
    'Looks whether a selector finds an element that is visible, and sets {fastCheck} to true or false. No page makes it fail, and it does not wait unless waitSeconds says so.',
    ['selector'],
    {
      selector: elementFields.selector,
      nth: elementFields.nth,
      frame: elementFields.frame,
      waitSeconds: { ...integerSchema(0, 60), description: 'How long the element may take to appear; absent = 0.' },
    },
    { selector: 'text=Sessão expirada' },
  ),
  actionSchema(
    'screenshot',
    'Keeps a picture as evidence: {as.evidence} is its link, {as.evidence_BUFFER} its content, and a line of the log shows it. Secret fields are black. A page with more than 50 frames gives none.',
    [],
    { ...elementFields, fullPage: { type: 'boolean', description: 'The whole page, also what is below the fold.' } },
    { fullPage: true },
  ),
  actionSchema(
    'switchTab',
    'Makes another tab the active one. A tab that a page opens becomes active by itself.',
    ['tab'],
    { tab: { ...integerSchema(0, 20), description: 'Number of the tab in the order of opening, from 0.' } },
    { tab: 0 },
  ),
  actionSchema(
    'closeTab',
    'Closes the active tab; the one that was active before becomes active again, and after the last one an empty tab.',
    [],
    {},
    {},
  ),
] as const;

export const BROWSER_ACTION_NAMES = [
  'open',
  'click',
  'hover',
  'fill',
  'type',
  'press',
  'select',
  'check',
  'upload',
  'download',
  'waitFor',
  'readText',
  'readAttribute',
  'readTable',
  'fastCheck',
  'screenshot',
  'switchTab',
  'closeTab',
] as const;
