/** `admin`: for the operator, directly on the server's store; requires no key, only access to the store. */
import { type Command, Option } from 'commander'
import { answers, examples, type Running, several, type Work, wholeNumber, works } from '../command.ts'
import type { MoveCommandOptions } from './move.ts'
import type { AdminOptions, CreateKeyOptions } from './store-work.ts'

const defaultStore = 'sqlite:./data/troupe.db'

type StoreWork = typeof import('./store-work.ts')

/** A command's work on a store. What opens a store is most of this program, and loaded only by these commands. */
const storeWorks = <Arguments extends unknown[], Options>(
  running: Running,
  of: (work: StoreWork) => Work<Arguments, Options>,
) =>
  works<Arguments, Options>(running, async (...all) => {
    const work = await import('./store-work.ts')
    await work.guarded(of(work))(...all)
  })

/** A command of `admin` for stores of this kind. */
const stored = (command: Command, kind = 'sqlite:PATH'): Command =>
  answers(command).addOption(
    new Option('--store <store>', kind)
      .env('TROUPE_STORE')
      // an empty variable counts as unset, as for the server
      .argParser((store) => store || defaultStore)
      .default(defaultStore),
  )
const anyStore = 'sqlite:PATH or postgres://…'

export function addAdmin(program: Command, running: Running): void {
  const admin = program
    .command('admin')
    .summary('commands for the operator, on the store')
    .description("Works directly on the server's store, for users who can open it; the server may be running.")
  stored(admin.command('reset-password'), anyStore)
    .description('Gives an account a new password, shows it, and ends its sessions within two seconds.')
    .argument('<account>', 'the e-mail address, or usr_…')
    .action(storeWorks<[string], AdminOptions>(running, ({ resetPassword }) => resetPassword))
  stored(admin.command('create-key'), anyStore)
    .description('Creates an API key of the first organization for its owner, and shows it.')
    .argument('<name>', 'the name of the key')
    .option('--allow <permissions>', 'its permissions, separated by commas (default: all)', several)
    .option('--days <number>', 'days until it expires', wholeNumber(1, 366), 90)
    .action(storeWorks<[string], CreateKeyOptions>(running, ({ createKey }) => createKey))
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
    .action(storeWorks<[string], AdminOptions>(running, ({ backUp }) => backUp))
  stored(admin.command('move'))
    .description(
      'Copies the store into an empty PostgreSQL database, and compares both. No server may have the store open; it is not changed. After an interruption the copy starts again.',
    )
    .requiredOption('--to <store>', 'postgres://USER:PASSWORD@HOST:PORT/DATABASE')
    .addHelpText('after', examples('troupe admin move --to postgres://troupe:secret@db.internal/troupe'))
    .action(storeWorks<[], MoveCommandOptions>(running, ({ move }) => move))
  stored(admin.command('check'))
    .description(
      "Checks the store's file for damage and for broken references, and tells whether it is of a newer or an older version.",
    )
    .action(storeWorks<[], AdminOptions>(running, ({ check }) => check))
}
