import { answerTo } from '@batuta/client';
import type { Command } from 'commander';
import { allPages } from '@batuta/process-files';
import { askNewPassword } from '../terminal/ask-new-password';
import { parseWholeNumber } from './whole-number';
import type { Registration } from './registration';

/** How options and tables say that something is never deleted. */
const FOREVER = 'forever';

interface PlanOptions {
  name?: string;
  apiAccess?: string;
  scheduling?: string;
  monthlyCredits?: string;
  logRetentionDays?: string;
  requestsPerMinute?: string;
  auditDays?: string;
  ledgerDays?: string;
}

interface CompanyOptions {
  plan?: string;
  credits?: string;
  suspended?: string;
}

interface AccountOptions {
  email: string;
  name: string;
  role?: 'member' | 'administrator';
}

/** Registers the commands of operators and administrators. */
export function registerCompanies(registration: Registration): void {
  registerPlanCommands(registration);
  registerCompanyCommands(registration);
  registerAccountCommands(registration);
}

function registerPlanCommands({ addNoun }: Registration): void {
  addNoun('plans', 'what companies may use (operators)')
    .addVerb('list', 'show all plans', async ({ console, output }) => {
      const read = async (query: object) =>
        (await answerTo(console.GET('/manage/v1/plans', { params: { query } }))).plans;
      const plans = await allPages(read, ({ id }) => id);
      output.table({ plans }, plans, [
        { title: 'PLAN', of: ({ id }) => id },
        { title: 'NAME', of: ({ name }) => name },
        { title: 'API', of: ({ apiAccess }) => apiAccess },
        { title: 'SCHEDULING', of: ({ scheduling }) => scheduling },
        { title: 'CREDITS A MONTH', of: ({ monthlyCredits }) => monthlyCredits },
        { title: 'CALLS A MINUTE', of: ({ requestsPerMinute }) => requestsPerMinute },
        { title: 'LOG DAYS', of: ({ logRetentionDays }) => logRetentionDays },
        { title: 'AUDIT DAYS', of: ({ auditDays }) => auditDays ?? FOREVER },
        { title: 'LEDGER DAYS', of: ({ ledgerDays }) => ledgerDays ?? FOREVER },
      ]);
    })
    .addVerb<PlanOptions>(
      'create <name>',
      'create a plan',
      async ({ console, output }, [name = ''], options) => {
        const usual = {
          apiAccess: true,
          scheduling: true,
          monthlyCredits: 1_000,
          logRetentionDays: 30,
          requestsPerMinute: 600,
        };
        output.fields(
          await answerTo(console.POST('/manage/v1/plans', { body: { name, ...usual, ...planFields(options) } })),
        );
      },
      withPlanOptions,
    )
    .addVerb<PlanOptions>(
      'change <plan>',
      'change a plan, for all its companies',
      async ({ console, output }, [id = ''], options) => {
        const body = { ...planFields(options), ...(options.name !== undefined && { name: options.name }) };
        output.fields(await answerTo(console.PATCH('/manage/v1/plans/{id}', { params: { path: { id } }, body })));
      },
      (command) => withPlanOptions(command).option('--name <text>', 'another name'),
    );
}

function withPlanOptions(command: Command): Command {
  const yesOrNo = (flags: string, meaning: string) => command.createOption(flags, meaning).choices(['yes', 'no']);
  return command
    .addOption(yesOrNo('--api-access <yes|no>', 'whether third parties may call the API'))
    .addOption(yesOrNo('--scheduling <yes|no>', 'whether schedules fire'))
    .option('--monthly-credits <number>', 'executions a month')
    .option('--log-retention-days <number>', 'how long log lines stay')
    .option('--requests-per-minute <number>', 'calls of one credential a minute')
    .option('--audit-days <number|forever>', 'how long the audit trail is kept, from 30 days on')
    .option('--ledger-days <number|forever>', 'how long ledger entries are kept, from 30 days on');
}

function planFields(options: PlanOptions) {
  const { apiAccess, scheduling, monthlyCredits, logRetentionDays, requestsPerMinute, auditDays, ledgerDays } = options;
  return {
    ...(apiAccess !== undefined && { apiAccess: apiAccess === 'yes' }),
    ...(scheduling !== undefined && { scheduling: scheduling === 'yes' }),
    ...(monthlyCredits !== undefined && { monthlyCredits: parseWholeNumber('--monthly-credits', monthlyCredits) }),
    ...(logRetentionDays !== undefined && {
      logRetentionDays: parseWholeNumber('--log-retention-days', logRetentionDays),
    }),
    ...(requestsPerMinute !== undefined && {
      requestsPerMinute: parseWholeNumber('--requests-per-minute', requestsPerMinute),
    }),
    ...(auditDays !== undefined && { auditDays: daysOrForever('--audit-days', auditDays) }),
    ...(ledgerDays !== undefined && { ledgerDays: daysOrForever('--ledger-days', ledgerDays) }),
  };
}

/** Throws like `parseWholeNumber`; null = for ever. */
function daysOrForever(option: string, text: string): number | null {
  return text === FOREVER ? null : parseWholeNumber(option, text);
}

function registerCompanyCommands({ addNoun }: Registration): void {
  addNoun('companies', 'companies and their credits (operators)')
    .addVerb('list', 'show all companies', async ({ console, output }) => {
      const read = async (query: object) =>
        (await answerTo(console.GET('/manage/v1/companies', { params: { query } }))).companies;
      const companies = await allPages(read, ({ id }) => id);
      output.table({ companies }, companies, [
        { title: 'COMPANY', of: ({ id }) => id },
        { title: 'NAME', of: ({ name }) => name },
        { title: 'PLAN', of: ({ planId }) => planId },
        { title: 'CREDITS', of: ({ credits }) => credits },
        { title: 'SUSPENDED', of: ({ suspended }) => suspended },
      ]);
    })
    .addVerb<Required<Pick<CompanyOptions, 'plan'>>>(
      'create <name>',
      'create a company',
      async ({ console, output }, [name = ''], { plan: planId }) => {
        output.fields(await answerTo(console.POST('/manage/v1/companies', { body: { name, planId } })));
      },
      (command) => command.requiredOption('--plan <id>', 'its plan'),
    )
    .addVerb<CompanyOptions>(
      'change <company>',
      'change a company',
      async ({ console, output }, [id = ''], { plan, credits, suspended }) => {
        const body = {
          ...(plan !== undefined && { planId: plan }),
          ...(credits !== undefined && { credits: parseWholeNumber('--credits', credits) }),
          ...(suspended !== undefined && { suspended: suspended === 'yes' }),
        };
        output.fields(await answerTo(console.PATCH('/manage/v1/companies/{id}', { params: { path: { id } }, body })));
      },
      (command) =>
        command
          .option('--plan <id>', 'another plan')
          .option('--credits <number>', 'the new balance; the difference is booked in the ledger')
          .addOption(
            command
              .createOption('--suspended <yes|no>', 'whether its accounts can neither log in nor call')
              .choices(['yes', 'no']),
          ),
    );
}

function registerAccountCommands({ addNoun }: Registration): void {
  addNoun('accounts', 'people with a login (operators, administrators)')
    .addVerb<{ company?: string }>(
      'list',
      'show the accounts of the own company, or of another one (operators)',
      async ({ console, output }, _, { company: id }) => {
        const read = async (query: object) =>
          id === undefined
            ? (await answerTo(console.GET('/manage/v1/accounts', { params: { query } }))).accounts
            : (await answerTo(console.GET('/manage/v1/companies/{id}/accounts', { params: { path: { id }, query } })))
                .accounts;
        const accounts = await allPages(read, (account) => account.id);
        output.table({ accounts }, accounts, [
          { title: 'ACCOUNT', of: (account) => account.id },
          { title: 'E-MAIL', of: ({ email }) => email },
          { title: 'NAME', of: ({ name }) => name },
          { title: 'ROLE', of: ({ role }) => role },
          { title: 'BLOCKED', of: ({ blocked }) => blocked },
        ]);
      },
      (command) => command.option('--company <id>', 'the company, which operators have to name'),
    )
    .addVerb<AccountOptions>(
      'create <company>',
      'add an account; its first password is asked for or read from the standard input',
      async ({ console, output, terminal }, [id = ''], { email, name, role }) => {
        const password = await askNewPassword(terminal.input, 'First password');
        const body = { email, name, password, ...(role !== undefined && { role }) };
        const init = { params: { path: { id } }, body };
        output.fields(await answerTo(console.POST('/manage/v1/companies/{id}/accounts', init)));
      },
      (command) =>
        command
          .requiredOption('--email <address>', 'the login')
          .requiredOption('--name <text>', 'the name of the person')
          .addOption(command.createOption('--role <role>', 'what it may do').choices(['member', 'administrator'])),
    )
    .addVerb('block <account>', 'shut an account out', async (context, [id = '']) => {
      const init = { params: { path: { id } }, body: { blocked: true } };
      context.output.fields(await answerTo(context.console.PATCH('/manage/v1/accounts/{id}', init)));
    })
    .addVerb('unblock <account>', 'let an account in again', async (context, [id = '']) => {
      const init = { params: { path: { id } }, body: { blocked: false } };
      context.output.fields(await answerTo(context.console.PATCH('/manage/v1/accounts/{id}', init)));
    })
    .addVerb(
      'reset-password <account>',
      'replace the password by one for 24 hours, shown once',
      async (context, [id = '']) => {
        const init = { params: { path: { id } } };
        const reset = await answerTo(context.console.POST('/manage/v1/accounts/{id}/password-reset', init));
        context.output.show(reset, `${reset.password}\nvalid until ${reset.expiresAt}`);
      },
    );
}
