/** Units of work that the store may refuse, and what each refusal means to the client. */
import { MissingReference, StaleWrite, UniqueViolation } from '../../../../storage/errors.ts'
import type { Store, Write } from '../../../../storage/store.ts'

type Refusal = (error: Error) => Error | Promise<Error>

/** What is thrown in place of the store's own error. One that is not listed is thrown as it is. */
export interface Refusals {
  /** What was found is gone since, or is no longer as it was. */
  stale?: Refusal
  /** The key belongs to another row; by a column of the key where the unit may meet several keys. */
  unique?: Refusal | Readonly<Record<string, Refusal>>
  /** What a row refers to is gone, or what was to be removed is referred to. */
  missing?: Refusal
}

function refusalOf(error: unknown, { stale, unique, missing }: Refusals): Refusal | undefined {
  if (error instanceof StaleWrite) return stale
  if (error instanceof MissingReference) return missing
  if (!(error instanceof UniqueViolation) || !unique) return undefined
  if (typeof unique === 'function') return unique
  return Object.entries(unique).find(([column]) => error.columns.includes(column))?.[1]
}

/** For the `catch` of a command to an actor, which commits as well. */
export const refusing =
  (refusals: Refusals) =>
  async (error: unknown): Promise<never> => {
    throw (await refusalOf(error, refusals)?.(error as Error)) ?? error
  }

/** Commits the unit of work, or throws what its refusal means: `commitOr(store, { stale: notFound }, writes)`. */
export const commitOr = (store: Pick<Store, 'commit'>, refusals: Refusals, writes: readonly Write[]): Promise<void> =>
  store.commit(writes).catch(refusing(refusals))
