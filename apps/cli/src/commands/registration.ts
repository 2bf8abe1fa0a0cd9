import type { Command } from 'commander';
import type { Terminal } from '../terminal/terminal';
import type { Noun } from './action';

/** What a file of commands gets to add its commands to the program. */
export interface Registration {
  program: Command;
  terminal: Terminal;
  noun: (name: string, description: string) => Noun;
}
