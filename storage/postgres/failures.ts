/** Translates PostgreSQL's errors and connection errors into the store's. */
import { SQL } from 'bun'
import { MissingReference, StoreUnavailable, UniqueViolation } from '../errors.ts'

/** The SQLSTATE of an error that PostgreSQL reported; undefined for connection errors. */
const stateOf = (error: unknown): string | undefined =>
  error instanceof SQL.PostgresError && /^[0-9A-Z]{5}$/.test(error.errno ?? '') ? error.errno : undefined

/** SQLSTATE classes and codes that make the whole store unavailable. Source: PostgreSQL, appendix A. */
const away: [pattern: RegExp, is: string][] = [
  [/^08/, 'not reachable'],
  [/^57P|^25P03/, 'shutting down or starting'],
  [/^53100/, 'out of disk space'],
  [/^53/, 'out of resources'],
  [/^25006/, 'read-only'],
  [/^57014/, 'too slow: the statement was given up'],
  [/^55P03/, 'locked by another server'],
  [/^40/, 'busy with a transaction in conflict'],
  [/^58|^XX/, 'failing'],
  [/^28|^3D000|^42501|^55000/, 'refusing this server: its account or its database is not there, or not allowed'],
]

/** Whether PostgreSQL denies this server the account or the database: retrying is pointless. */
export const isRefusal = (error: unknown): boolean => /^28|^3D000|^42501|^55000/.test(stateOf(error) ?? '')

/** Whether the connection was lost or never established: the outcome of a call in progress is unknown. */
export const isConnectionLost = (error: unknown): boolean =>
  (error instanceof SQL.PostgresError && stateOf(error) === undefined && /CONNECTION|TIMEOUT/.test(error.code)) ||
  /^57P0[123]$|^08|^25P03$/.test(stateOf(error) ?? '')

/** Whether PostgreSQL rejected a text because of a character that it cannot store: U+0000. */
export const isUnstorable = (error: unknown): boolean => stateOf(error) === '22021'

/** Whether the transaction was aborted in favor of another one, and may succeed when retried. */
export const isConflict = (error: unknown): boolean => /^40/.test(stateOf(error) ?? '')

/** Whether other units of work may succeed although this one failed. */
export function isOfOneUnit(error: unknown): boolean {
  if (isConnectionLost(error)) return false
  const state = stateOf(error)
  return state === undefined || !away.some(([pattern]) => pattern.test(state))
}

/**
 * Turns `Key (organization_id, slug)=(…) already exists.` on the table `projects` into `projects.organization_id,
 * projects.slug`.
 */
function columnsOf({ table, constraint, detail }: SQL.PostgresError): string {
  const [, names] = /^Key \((.*?)\)=/.exec(detail ?? '') ?? []
  if (names === undefined) return constraint ?? ''
  const owner = table ?? constraint?.replace(/_pkey$/, '') ?? ''
  return names
    .split(', ')
    .map((name) => `${owner}.${name}`)
    .join(', ')
}

/** Translates a PostgreSQL or connection error; returns unknown errors unchanged, because they are bugs. */
export function storeFailure(error: unknown): unknown {
  if (!(error instanceof SQL.PostgresError)) return error
  const state = stateOf(error)
  const cause = { cause: error }
  if (state === undefined) return new StoreUnavailable('The store is not reachable.', cause)
  if (state === '23505') return new UniqueViolation(error.message, columnsOf(error), cause)
  if (state === '23503') return new MissingReference('A row refers to one that is not there.', cause)
  const [, is] = away.find(([pattern]) => pattern.test(state)) ?? []
  return is ? new StoreUnavailable(`The store is ${is}.`, cause) : error
}
