/** The position of a reader in an actor's stream. Source: contract 5, "Stream"; HTML, "Server-sent events". */
import { type ApiError, invalid } from '../../../platform/http/answers/errors.ts'

const refused = (message: string): ApiError => invalid([{ path: '/headers/last-event-id', message }])

/** The last transition that the reader has; undefined if it has none. Throws `validation_failed` (422). */
export function lastEventIdOf(request: Request, lastSequence: number): number | undefined {
  const given = request.headers.get('last-event-id')
  if (given === null || given === '') return undefined
  if (!/^\d{1,15}$/.test(given)) throw refused('Must be the id of an event of this stream.')
  const sequence = Number(given)
  if (sequence > lastSequence) throw refused('Is beyond the end of the journal.')
  return sequence
}
