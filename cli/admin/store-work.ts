/** The work of the commands of `admin` on the server's store. */
import { createOperatorKey, OperatorError, resetPasswordOf } from '../../src/tenancy/setup/operator.ts'
import { StoreRefused, StoreUnavailable } from '../../storage/errors.ts'
import { filePath, openBeside } from '../../storage/open.ts'
import type { Store } from '../../storage/store.ts'
import type { Work } from '../command.ts'
import type { Context } from '../context.ts'
import { CommandError } from '../terminal/exit-codes.ts'
import { facts } from '../terminal/text.ts'
import { apart } from './apart.ts'

export { backUp } from './backup.ts'
export { move } from './move.ts'

export interface AdminOptions {
  store: string
}

/** Converts an error of the store or of the operator to an error of this command. */
function refusal(error: unknown): unknown {
  if (error instanceof StoreRefused || error instanceof StoreUnavailable)
    return new CommandError('failed', 'store_refused', error.message, ['--store or TROUPE_STORE names the store.'])
  return error instanceof OperatorError ? new CommandError(error.reason, 'not_possible', error.message) : error
}

export const guarded =
  <Arguments extends unknown[], Options>(work: Work<Arguments, Options>): Work<Arguments, Options> =>
  async (...all) => {
    try {
      await work(...all)
    } catch (error) {
      throw refusal(error)
    }
  }

async function onStore<Value>(
  { output, interruption }: Context,
  address: string,
  work: (store: Store) => Promise<Value>,
): Promise<Value> {
  // a database that is away is tried for half a minute
  const store = await output.wait('Opening the store', () => interruption.race(openBeside(address)))
  try {
    return await work(store)
  } finally {
    await store.close()
  }
}

export async function resetPassword(context: Context, { store }: AdminOptions, emailOrId: string): Promise<void> {
  const made = await onStore(context, store, (opened) => resetPasswordOf(opened, emailOrId))
  context.output.result(made, () =>
    facts([
      ['account', `${made.email} (${made.userId})`],
      ['password', `${made.password}   (shown only now)`],
    ]),
  )
}

export interface CreateKeyOptions extends AdminOptions {
  allow?: string[]
  days: number
}

export async function createKey(
  context: Context,
  { store, allow = ['*'], days }: CreateKeyOptions,
  name: string,
): Promise<void> {
  const lifeMs = days * 86_400_000
  const made = await onStore(context, store, (opened) => createOperatorKey(opened, { name, operations: allow, lifeMs }))
  context.output.result(made, () =>
    facts([
      ['id', made.id],
      ['expires', made.expiresAt],
      ['key', `${made.secret}   (shown only now)`],
    ]),
  )
}

export async function check({ output, interruption }: Context, { store }: AdminOptions): Promise<void> {
  const path = filePath(store)
  const { damage, unknown, pending } = await output.wait('Checking the store', () =>
    apart('check', { path }, interruption),
  )
  const problems = [...damage, ...unknown.map((name) => `it has had ${name}, which this program does not know`)]
  const sound =
    pending.length === 0
      ? `${path} is sound.`
      : `${path} is sound. The next start of the server migrates it: ${pending.join(', ')}.`
  output.result({ store: path, problems, pending }, () => (problems.length === 0 ? sound : problems.join('\n')))
  if (damage.length > 0) throw new CommandError('unsuccessful', 'store_damaged', `${path} is damaged.`)
  if (unknown.length > 0)
    throw new CommandError(
      'unsuccessful',
      'store_newer',
      `${path} is of a newer version; nothing else is wrong with it.`,
    )
}
