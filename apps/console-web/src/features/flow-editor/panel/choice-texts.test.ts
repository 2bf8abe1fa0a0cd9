import { MATRIX_TYPES } from '@batuta/matrix';
import { stepSchemaOf, stepTypeNames } from '@batuta/flow';
import english from '../locales/en.json';
import portuguese from '../locales/pt-BR.json';
import { formOf, type FormField } from '../model/form-model';

/** Names that people know in this form in every language: HTTP methods, and the types of the Matrix. */
const isName = (option: string) => /^[A-Z]+$/.test(option) || MATRIX_TYPES.some((type) => type === option);

/** The texts among which the fields of a form let people choose. */
function choicesIn(form: FormField): string[] {
  switch (form.kind) {
    case 'choice':
      return form.options.filter((option) => typeof option === 'string');
    case 'object':
      return form.fields.flatMap(choicesIn);
    case 'entries':
      return choicesIn(form.value);
    case 'list':
      return choicesIn(form.item);
    case 'variants':
      return form.variants.flatMap(({ form: variant }) => choicesIn(variant));
    default:
      return [];
  }
}

test.each([
  ['English', english.choices],
  ['Portuguese', portuguese.choices],
])('every choice of a step has a label in %s', (_language, labels) => {
  const choices = stepTypeNames().flatMap((type) => choicesIn(formOf(stepSchemaOf(type))));
  const labelled = new Set(Object.keys(labels));
  expect(choices.filter((choice) => !isName(choice) && !labelled.has(choice))).toEqual([]);
});
