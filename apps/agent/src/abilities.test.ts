import { missingAbilitiesPhrase } from '@batuta/agent-protocol';
import { EXTRA_FLOW_ABILITIES } from '@batuta/flow';
import { abilitiesOfMachine } from './abilities';
import { SUPPORTED_STEPS } from './connectors/registry';

const CHROMIUM = { path: '/usr/bin/chromium', sandbox: true };

test('an agent announces its step types, the ability of mappings, and the ability to read pictures if the packages are installed', () => {
  expect(abilitiesOfMachine(CHROMIUM)).toEqual([...SUPPORTED_STEPS, 'mapping', 'ocr']);
  expect(abilitiesOfMachine(CHROMIUM, ['tesseract.js'])).toEqual([...SUPPORTED_STEPS, 'mapping']);
});

test('an agent announces browser steps only where its machine has a browser', () => {
  const others = SUPPORTED_STEPS.filter((type) => type !== 'browser');
  expect(abilitiesOfMachine(undefined)).toEqual([...others, 'mapping', 'ocr']);
});

test.each(Object.values(EXTRA_FLOW_ABILITIES))(
  'the sentence about agents without %s speaks of no step type',
  (feature) => {
    expect(missingAbilitiesPhrase('Robots', [], [feature])).not.toContain(' steps');
  },
);
