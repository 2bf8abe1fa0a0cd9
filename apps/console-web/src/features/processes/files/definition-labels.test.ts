import { createInstance } from 'i18next';
import { errorText } from '../../../common/message-text';
import { CallError } from '../../../api/error';
import consoleAPI from '../../../../../../docs/openapi/console.json';
import english from '../locales/en.json';
import portuguese from '../locales/pt-BR.json';
import { definitionLabels } from './definition-labels';

const i18n = createInstance({ resources: { 'pt-BR': { processes: portuguese }, en: { processes: english } } });
beforeAll(() => i18n.init());

const labelsIn = (language: string) => definitionLabels(i18n.getFixedT(language, 'processes'));

test('an import that the API refuses for the name of a webhook origin names the field by its label', () => {
  const refused = new CallError(400, 'BAD_REQUEST', 'name: is beyond the moon');
  expect(errorText(refused, labelsIn('pt-BR'))).toBe('Nome da origem do webhook: is beyond the moon');
});

test('every field of a process and of a webhook origin that an import sends has a label', () => {
  const { ProcessChange, OriginInput, SignatureInput, MatrixInput } = consoleAPI.components.schemas;
  const fields = [
    ...[ProcessChange, OriginInput, MatrixInput].flatMap(({ properties }) => Object.keys(properties)),
    ...Object.keys(SignatureInput.properties).map((field) => `signature.${field}`),
  ];
  expect(Object.keys(labelsIn('en')).toSorted()).toEqual(fields.toSorted());
});
