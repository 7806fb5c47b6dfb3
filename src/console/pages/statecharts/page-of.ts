/** The page of an actor's resource, if its address follows from its id. */
import { type Place, runAt } from '../../places.ts'

export const pageOf = (place: Place, kind: string, id: string): string | undefined =>
  kind === 'run' ? runAt(place, id) : undefined
