import type { Connector } from '../connector';

export const waitConnector: Connector<'wait'> = {
  async run({ seconds }, { effects, journal }) {
    await effects.sleep(seconds * 1000, effects.control.signal);
    await journal.info(`waited ${seconds} s`);
  },
};
