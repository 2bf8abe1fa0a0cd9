import type { Flow } from './definition/definition';
import { abilitiesOf, EXTRA_FLOW_ABILITIES, needsOf, picturesReadBy, readNeeds } from './needs';
import { STEP_TYPES } from './definition/step-types';

const waitStep = (name: string): Flow['steps'][number] => ({ name, type: 'wait', seconds: 1 });
const FLOW: Flow = {
  start: 'a',
  steps: [
    waitStep('a'),
    { name: 'b', type: 'script', code: 'return 1' },
    waitStep('c'),
    { name: 'd', type: 'webhookResponse', body: '{}' },
  ],
};

test('a flow needs the abilities of its steps, each once and in order, and readNeeds returns them', () => {
  expect(needsOf(FLOW)).toBe('script,wait');
  expect(readNeeds(needsOf(FLOW))).toEqual(['script', 'wait']);
  expect(readNeeds('')).toEqual([]);
});

test('the ability of a response step is not among the needs of its flow, but among the abilities that run every step', () => {
  expect(abilitiesOf(FLOW)).toEqual(['script', 'wait', 'webhookResponse']);
});

const textRow = (value: string) => ({ mode: 'Variável ou texto' as const, value });
const DOWNLOAD_STEP: Flow['steps'][number] = { name: 'get', type: 'rest', method: 'GET', url: 'http://x/', as: 'scan' };
const flowReading = (value: string, ...others: Flow['steps']): Flow => ({
  start: 'get',
  steps: [DOWNLOAD_STEP, { name: 'read', type: 'variables', rows: [{ name: 'r', ...textRow(value) }] }, ...others],
});

test('a flow with the mapping of a step needs an agent that knows it', () => {
  expect(needsOf({ start: 'get', steps: [{ ...DOWNLOAD_STEP, mapping: { a: textRow('1') } }] })).toBe('mapping,rest');
  expect(needsOf({ start: 'get', steps: [{ ...DOWNLOAD_STEP, mapping: {} }] })).toBe('mapping,rest');
  expect(needsOf({ start: 'get', steps: [DOWNLOAD_STEP] })).toBe('rest');
});

test('only a flow that reads {name.OCR} of a file needs an agent that reads pictures', () => {
  expect(needsOf(flowReading('Total: {scan.OCR}'))).toBe('ocr,rest,variables');
  expect(needsOf(flowReading('Total: {scan.OCR.length}'))).toBe('ocr,rest,variables');
  for (const value of ['{scan.FILE}', '{{scan.OCR}}', '{x.OCR}', '{scan.OCRs}', '{scan.body.OCR}', 'scan.OCR']) {
    expect(needsOf(flowReading(value))).toBe('rest,variables');
  }
  const script = { name: 's', type: 'script', code: 'return {}', as: 'own' } as const;
  expect(needsOf(flowReading('{own.OCR}', script))).toBe('rest,script,variables');
  expect(picturesReadBy(flowReading('{scan.OCR} {scan.OCR} {own.OCR}', script))).toEqual(['scan']);
});

test('the abilities of all step types together fit into their column', () => {
  const all = [...Object.values(STEP_TYPES).map(({ ability }) => ability), ...Object.values(EXTRA_FLOW_ABILITIES)];
  expect(all.join(',').length).toBeLessThanOrEqual(255);
  expect(all.join('')).not.toContain(',');
});
