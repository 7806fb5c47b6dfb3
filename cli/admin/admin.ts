/** `admin`: for the operator, directly on the server's store; requires no key, only access to the store. */
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
  if (problems.length > 0) throw new CommandError('unsuccessful', 'store_damaged', `${path} is damaged.`)
}

/** A command of `admin` for stores of this kind. */
const stored = (command: Command, kind = 'sqlite:PATH'): Command =>
  answers(command).addOption(new Option('--store <store>', kind).env('TROUPE_STORE').default(defaultStore))
const anyStore = 'sqlite:PATH or postgres://…'

export function addAdmin(program: Command, running: Running): void {
  const admin = program
    .command('admin')
    .summary('commands for the operator, on the store')
    .description("Works directly on the server's store, for users who can open it; the server may be running.")
  stored(admin.command('reset-password'), anyStore)
    .description('Gives an account a new password, shows it, and ends its sessions within two seconds.')
    .argument('<account>', 'the e-mail address, or usr_…')
    .action(works<[string], AdminOptions>(running, guarded(resetPassword)))
  stored(admin.command('create-key'), anyStore)
    .description('Creates an API key of the first organization for its owner, and shows it.')
    .argument('<name>', 'the name of the key')
    .option('--allow <permissions>', 'its permissions, separated by commas (default: all)', several)
    .option('--days <number>', 'days until it expires', wholeNumber(1, 366), 90)
    .action(works<[string], CreateKeyOptions>(running, guarded(createKey)))
  stored(admin.command('backup'))
    .description('Copies the store into one consistent file and checks it. Never overwrites a file.')
    .argument('<file>', 'the path of the copy')
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
      'Copies the store into an empty PostgreSQL database, and compares both. No server may have the store open; it is not changed. After an interruption the copy starts again.',
    )
    .requiredOption('--to <store>', 'postgres://USER:PASSWORD@HOST:PORT/DATABASE')
    .addHelpText('after', examples('troupe admin move --to postgres://troupe:secret@db.internal/troupe'))
    .action(works<[], MoveCommandOptions>(running, guarded(move)))
  stored(admin.command('check'))
    .description(
      "Checks the store's file for damage, for broken references, and for migrations that this program does not know.",
    )
    .action(works<[], AdminOptions>(running, guarded(check)))
}
