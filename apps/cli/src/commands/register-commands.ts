import type { Command } from 'commander';
import type { Terminal } from '../terminal/terminal';
import { Noun } from './action';
import { registerCaptures } from './captures';
import { registerCompanies } from './companies';
import { registerCompletion } from './completion';
import { registerCredentials } from './credentials';
import { registerEnvironments } from './environments';
import { registerEvents } from './events';
import { registerFiles } from './files';
import { registerLogin } from './login';
import { registerProcesses } from './processes';
import { registerProfiles } from './profiles';
import { registerRuns } from './runs';
import { registerSchedules } from './schedules';
import { registerStart } from './start';
import { registerVault } from './vault';

/** The commands, in the order in which the help lists them. */
const REGISTRATIONS = [
  registerLogin,
  registerProfiles,
  registerProcesses,
  registerFiles,
  registerStart,
  registerRuns,
  registerSchedules,
  registerCaptures,
  registerEvents,
  registerEnvironments,
  registerCredentials,
  registerVault,
  registerCompanies,
  registerCompletion,
];

export function registerCommands(program: Command, terminal: Terminal): void {
  const addNoun = (name: string, description: string) =>
    new Noun(program.command(name).description(description), terminal);
  for (const register of REGISTRATIONS) register({ program, terminal, addNoun });
}
