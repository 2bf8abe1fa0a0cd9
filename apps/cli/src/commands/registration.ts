import type { Command } from 'commander';
import type { Terminal } from '../terminal/terminal';
import type { Noun } from './action';

/** What a file of commands gets to add its commands to the program. */
export interface Registration {
  program: Command;
  terminal: Terminal;
  /** Adds a group of commands, `batuta <name> …`, to the program. */
  addNoun: (name: string, description: string) => Noun;
}
