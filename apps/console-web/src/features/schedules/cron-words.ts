import { importOrReport } from '../../load-failures';

/** The fields that choose days: day of month and day of week. */
function dayFields(expression: string): string[] {
  const [, , dayOfMonth = '*', , dayOfWeek = '*'] = expression.trim().split(/\s+/);
  return [dayOfMonth, dayOfWeek];
}

/**
 * Whether a day needs to match only one of the two fields. When either contains a star, even one with a step of days, a day must
 * match both, as in the schedule service.
 */
export function isEitherDay(expression: string): boolean {
  return dayFields(expression).every((field) => !field.includes('*'));
}

/** The expression as a sentence; undefined when it is none, or when no words are known for it. */
export async function cronWords(expression: string, language: string): Promise<string | undefined> {
  const { default: cronstrue } = await importOrReport(loadWords());
  try {
    return cronstrue.toString(expression, {
      locale: language === 'pt-BR' ? 'pt_BR' : 'en',
      use24HourTimeFormat: true,
      logicalAndDayFields: !isEitherDay(expression),
    });
  } catch {
    return undefined;
  }
}

/** Loads the module that writes expressions in words, and then the language, which adds itself to that module. */
async function loadWords() {
  const words = await import('cronstrue');
  await import('cronstrue/locales/pt_BR');
  return words;
}
