/** Commits units of work, and turns each refusal of the store into an error for the client. */
import { MissingReference, StaleWrite, UniqueViolation } from '../../../../storage/errors.ts'
import type { Store, Write } from '../../../../storage/store.ts'

type Refusal = (error: Error) => Error | Promise<Error>

/** The error to throw in place of each error of the store. Errors that are not listed are rethrown. */
export interface Refusals {
  /** A row that was read has been removed or changed since. */
  stale?: Refusal
  /** The key belongs to another row; by column of the key if the unit has several keys. */
  unique?: Refusal | Readonly<Record<string, Refusal>>
  /** A referenced row is gone, or the row to be removed is still referenced. */
  missing?: Refusal
}

function refusalOf(error: unknown, { stale, unique, missing }: Refusals): Refusal | undefined {
  if (error instanceof StaleWrite) return stale
  if (error instanceof MissingReference) return missing
  if (!(error instanceof UniqueViolation) || !unique) return undefined
  if (typeof unique === 'function') return unique
  return Object.entries(unique).find(([column]) => error.columns.includes(column))?.[1]
}

/** For the `catch` of a command to an actor, which commits too. */
export const refusing =
  (refusals: Refusals) =>
  async (error: unknown): Promise<never> => {
    throw (await refusalOf(error, refusals)?.(error as Error)) ?? error
  }

/** Commits the unit of work, or throws the matching refusal: `commitOr(store, { stale: notFound }, writes)`. */
export const commitOr = (store: Pick<Store, 'commit'>, refusals: Refusals, writes: readonly Write[]): Promise<void> =>
  store.commit(writes).catch(refusing(refusals))
