import { i18n } from '../../../i18n/instance';
import { missingAbilitiesText } from '../../../common/missing-abilities';
import { patternsOf, refusalText, ruleOf } from '../../../common/refusal-text';

/**
 * The English messages of the API about problems and warnings of a flow, beside REFUSAL_RULES; the translations `flow-editor:rules` have the
 * same names and placeholders. A message gets the first rule that matches, so an exact rule stands before a general one. `{{rule}}` stands
 * for the message of another rule.
 */
export const FLOW_RULES: Record<string, string> = {
  unknownField: 'is not a field that exists here',
  notEmpty: 'must not be empty',
  characters: 'must have at most {{a}} characters',
  manyItems: 'must have at most {{a}} items',
  size: 'must be JSON of at most 1 MB, nested at most {{a}} levels deep',
  anyNumber: 'must be a number',
  malformed: 'is malformed',
  addresses: 'must be an address or a list of addresses',
  options: 'One option, or a list of them.',
  fileReferences: 'A reference to a file, such as {invoice.FILE}, or a list of them.',
  sqlOrStatements: 'needs an sql or statements, not both',
  textOrHtml: 'needs a text or an html',
  oneBody: 'must have only one of body, form and file',
  noBody: 'must be absent, because a {{a}} call has no body',
  noFiles: 'must not have files in the encoding urlencoded',
  oneEnd: 'goes to a step or terminates, not both',
  noStep: 'no step is named "{{a}}"',
  otherStep: '"{{a}}" is the name of another step',
  answerNotJson: 'is not JSON, whatever values its variables have',
  fieldName: 'the name of a field {{rule}}',
  braces: 'must not contain braces',
  prefix: 'must not start with "{{a}}"',
  systemName: '"{{a}}" is the name of a system variable',
  spaces: 'must not begin or end with a space or contain a line break',
  stepName: '"{{a}}" is the name of a step',
  resultName: '"{{a}}" is the result of a step',
  createdTwice: '"{{a}}" is created in another row already',
  targetType: 'an assignment converts to the type of its target, which is {{a}}',
  noVault: 'a flow variable does not accept {vault.KEY}',
  emptyFormula: 'a formula cannot be empty',
  later: '{{a}} is not created in a row above',
  systemTarget: '"{{a}}" is a system variable and cannot be assigned',
  noTarget: '"{{a}}" cannot be assigned',
  noMatrixInCode: '{{a}}: no Matrix variable "{{b}}" is registered (JavaScript braces take a space: "{{c}}")',
  noVariableInCode: '{{a}}: no variable of this name exists (JavaScript braces take a space: "{{b}}")',
  noMatrix: '{{a}}: no Matrix variable "{{b}}" is registered',
  noVariable: '{{a}}: no variable of this name exists',
  forbiddenKey: '{{a}}: the process may not use this vault key; the owner of the process has to allow it',
  noResult: '{{a}}: a step of the type {{b}} gives no result',
  noConnectorResult: '{{a}}: no step of the flow gives it ({{b}})',
  noPart: '{{a}}: a step of the type {{b}} gives no {{c}}',
  unmapped: '{{a}}: the mapping of the step has no field "{{b}}" (braces of another meaning take a space: "{{c}}")',
  staysTextOfVariable: '{{a}} stays text, because the step maps no field "{{b}}"; {{c}} reads the variable',
  staysText: '{{a}} stays text, because the step maps no field "{{b}}"',
  unusedField: 'no text of the step has {{a}}, so this value is not used',
  emptyWait: 'needs a selector, a text or a url to wait for',
  noAs: 'gives a value, but the step has no as',
  severalValues: 'is required where the actions of a step read several values',
  severalDownloads: 'must be the only download of its step, whose {as.FILE} is one file',
  inQuotes:
    '{{a}} stands within quotes, where no parameter can stand: write it without quotes, as in "{{b}}"; braces that are no variable take a space ("{ … }")',
  inComment:
    '{{a}} stands within a comment, where no parameter can stand: write it without quotes, as in "{{b}}"; braces that are no variable take a space ("{ … }")',
  exactly: 'must be {{a}}',
};

const patterns = patternsOf(FLOW_RULES);

/** A message of the API about a flow in the user's language; an unknown message stays as the API wrote it. */
export function problemText(message: string): string {
  // A message of REFUSAL_RULES is left to `refusalText`.
  const known = ruleOf(message) ? undefined : ruleOf(message, patterns);
  if (!known) return missingAbilitiesText(message) ?? refusalText(message);
  const { rule, ...values } = known.values;
  return i18n.t(`flow-editor:rules.${known.rule}`, rule === undefined ? values : { rule: problemText(rule) });
}
