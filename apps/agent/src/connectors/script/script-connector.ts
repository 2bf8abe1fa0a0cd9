import type { Connector } from '../connector';

export const scriptConnector: Connector<'script'> = {
  async run(step, { scope, journal, code }) {
    const { value, secrecy } = await code.runScript(step.code, scope.fieldView(), 'script');
    if (step.as === undefined) return journal.info('the script ran');
    scope.setAutomatic(step.as, value, secrecy);
    await journal.info(`the script gave ${step.as} = ${journal.formatValue(value, undefined, secrecy === 'derived')}`);
  },
};
