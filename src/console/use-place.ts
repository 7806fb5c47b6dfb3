/** Where one is, in a component. */
import { useLocation, useParams } from 'wouter'
import { type Place, placeIn } from './places.ts'

/** The organization, Project and Environment in the address. */
export function usePlace(): Place {
  const [path] = useLocation()
  const place = placeIn(path)
  if (!place) throw new Error(`${path} is in no organization`)
  return place
}

/**
 * Ids in the address, by the names that the route gives them. They are known to have the form of an id.
 *
 *     const { projectId, environmentId } = useIds('projectId', 'environmentId')
 */
export function useIds<Name extends string>(...names: Name[]): Record<Name, string> {
  const params = useParams() as Record<string, string | undefined>
  const entries = names.map((name) => {
    const value = params[name]
    if (value === undefined) throw new Error(`the address names no ${name}`)
    return [name, value]
  })
  return Object.fromEntries(entries)
}
