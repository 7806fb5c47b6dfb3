/** `admin move`: moves a store from SQLite to PostgreSQL. */
import { StoreRefused, StoreUnavailable } from '../../storage/errors.ts'
import { moveStore } from '../../storage/moving/move.ts'
import { filePath } from '../../storage/open.ts'
import type { Context } from '../context.ts'
import { CommandError } from '../terminal/exit-codes.ts'
import { facts } from '../terminal/text.ts'

export interface MoveCommandOptions {
  store: string
  to: string
}

const whichStores = '--store names the store that is moved, --to its new database.'

const isRefusal = (error: unknown) => error instanceof StoreRefused || error instanceof StoreUnavailable

export async function move(
  { output, signal, interruption }: Context,
  { store, to }: MoveCommandOptions,
): Promise<void> {
  const path = filePath(store)
  try {
    const moved = await output.wait('Moving the store', () => moveStore({ path, to, signal }))
    output.result({ store: path, ...moved }, () =>
      facts([
        ['tables', `${moved.tables}`],
        ['rows', `${moved.rows}`],
        ['digest', moved.digest],
        ...(moved.replaced > 0 ? ([['replaced', `U+0000 in ${moved.replaced} texts, by U+FFFD`]] as const) : []),
      ]),
    )
  } catch (error) {
    if (signal.aborted) interruption.begun('move', 'The database is incomplete; run the command again to start over.')
    throw isRefusal(error) ? new CommandError('failed', 'store_refused', error.message, [whichStores]) : error
  }
  if (output.json) return
  output.note(
    `Start the server with TROUPE_STORE=postgres://… and the master keys of ${path}: TROUPE_MASTER_KEYS, or the content of ${path}.keys. Keep the file until you have checked the result.`,
  )
}
