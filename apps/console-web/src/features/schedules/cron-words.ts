import { importOrReport } from '../../load-failures';

/** The fields of a cron expression that choose days: day of month and day of week. */
function dayFields(expression: string): string[] {
  const [, , dayOfMonth = '*', , dayOfWeek = '*'] = expression.trim().split(/\s+/);
  return [dayOfMonth, dayOfWeek];
}

/**
 * Whether a day needs to match only one of the fields day of month and day of week. When either contains a star, even one with a step of days,
 * a day must match both, as in the schedule service.
 */
export function isEitherDay(expression: string): boolean {
  return dayFields(expression).every((field) => !field.includes('*'));
}

/** The cron expression as a sentence; undefined for a text that is no expression, or for which the library has no words. Throws LoadFailure. */
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

/** Loads the module that writes expressions in words, and then its Portuguese texts, which add themselves to that module. */
async function loadWords() {
  const words = await import('cronstrue');
  await import('cronstrue/locales/pt_BR');
  return words;
}
