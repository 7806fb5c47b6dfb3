/** `admin`: for the operator, directly on the server's store; requires no key, only access to the file. */
import { type Command, Option } from 'commander'
import { createOperatorKey, OperatorError, resetPasswordOf } from '../../src/tenancy/setup/operator.ts'
import { StoreRefused, StoreUnavailable } from '../../storage/errors.ts'
import { filePath, openBeside } from '../../storage/open.ts'
import type { Store } from '../../storage/store.ts'
import { answers, examples, type Running, several, type Work, wholeNumber, works } from '../command.ts'
import type { Context } from '../context.ts'
import { CommandError } from '../terminal/exit-codes.ts'
import { facts } from '../terminal/text.ts'
import { apart } from './apart.ts'
import { backUp } from './backup.ts'
import { type MoveCommandOptions, move } from './move.ts'

interface AdminOptions {
  store: string
}

const defaultStore = 'sqlite:./data/troupe.db'

/** Converts an error of the store or of the operator to an error of this command. */
function refusal(error: unknown): unknown {
  if (error instanceof StoreRefused || error instanceof StoreUnavailable)
    return new CommandError('failed', 'store_refused', error.message, ['--store or TROUPE_STORE names the store.'])
  return error instanceof OperatorError ? new CommandError(error.reason, 'not_possible', error.message) : error
}

const guarded =
  <Arguments extends unknown[], Options>(work: Work<Arguments, Options>): Work<Arguments, Options> =>
  async (...all) => {
    try {
      await work(...all)
    } catch (error) {
      throw refusal(error)
    }
  }

async function onStore<Value>(address: string, work: (store: Store) => Promise<Value>): Promise<Value> {
  const store = await openBeside(address)
  try {
    return await work(store)
  } finally {
    await store.close()
  }
}

async function resetPassword({ output }: Context, { store }: AdminOptions, emailOrId: string): Promise<void> {
  const made = await onStore(store, (opened) => resetPasswordOf(opened, emailOrId))
  output.result(made, () =>
    facts([
      ['account', `${made.email} (${made.userId})`],
      ['password', `${made.password}   (shown only now)`],
    ]),
  )
}

interface CreateKeyOptions extends AdminOptions {
  allow?: string[]
  days: number
}

async function createKey(
  { output }: Context,
  { store, allow = ['*'], days }: CreateKeyOptions,
  name: string,
): Promise<void> {
  const lifeMs = days * 86_400_000
  const made = await onStore(store, (opened) => createOperatorKey(opened, { name, operations: allow, lifeMs }))
  output.result(made, () =>
    facts([
      ['id', made.id],
      ['expires', made.expiresAt],
      ['key', `${made.secret}   (shown only now)`],
    ]),
  )
}

async function check({ output, interruption }: Context, { store }: AdminOptions): Promise<void> {
  const path = filePath(store)
  const problems = await output.wait('Checking the store', () => apart('check', { path }, interruption))
  output.result({ store: path, problems }, () => (problems.length === 0 ? `${path} is sound.` : problems.join('\n')))
  if (problems.length > 0) throw new CommandError('unsuccessful', 'store_damaged', `${path} is not sound.`)
}

/** A command of `admin`. */
const stored = (command: Command): Command =>
  answers(command).addOption(new Option('--store <store>', 'sqlite:PATH').env('TROUPE_STORE').default(defaultStore))

export function addAdmin(program: Command, running: Running): void {
  const admin = program
    .command('admin')
    .summary("the operator's commands, on the store")
    .description(
      "Works on the server's store itself, for a person who may read its file; the server may serve meanwhile.",
    )
  stored(admin.command('reset-password'))
    .description('Gives an account a new password, shows it, and ends its sessions within two seconds.')
    .argument('<account>', 'the e-mail address, or usr_…')
    .action(works<[string], AdminOptions>(running, guarded(resetPassword)))
  stored(admin.command('create-key'))
    .description('Makes an API key of the first organization, in the name of its owner, and shows it.')
    .argument('<name>', 'what it is for')
    .option('--allow <permissions>', 'what it may do, by commas (default: everything)', several)
    .option('--days <number>', 'how long it is good', wholeNumber(1, 366), 90)
    .action(works<[string], CreateKeyOptions>(running, guarded(createKey)))
  stored(admin.command('backup'))
    .description('Copies the store into one consistent file, checks it, and overwrites nothing.')
    .argument('<file>', 'where to')
    .addHelpText(
      'after',
      examples(
        'troupe admin backup "backup/troupe-$(date +%F).db"',
        'troupe admin backup /backup/troupe.db --store sqlite:/data/troupe.db',
      ),
    )
    .action(
      works<[string], AdminOptions>(
        running,
        guarded((context, { store }, file) => backUp(context, store, file)),
      ),
    )
  stored(admin.command('move'))
    .description(
      'Moves the store into an empty PostgreSQL database, and compares what has arrived with what has left. No server may have it open; it stays as it is. What was interrupted begins again.',
    )
    .requiredOption('--to <store>', 'postgres://USER:PASSWORD@HOST:PORT/DATABASE')
    .addHelpText('after', examples('troupe admin move --to postgres://troupe:secret@db.internal/troupe'))
    .action(works<[], MoveCommandOptions>(running, guarded(move)))
  stored(admin.command('check'))
    .description(
      "Looks for damage in the store's file, for references that lead nowhere, and for migrations that this program does not know.",
    )
    .action(works<[], AdminOptions>(running, guarded(check)))
}
