/** The page of the thing that an actor is, where its address follows from its id. */
import { type Place, runAt } from '../../places.ts'

export const pageOf = (place: Place, kind: string, id: string): string | undefined =>
  kind === 'run' ? runAt(place, id) : undefined
