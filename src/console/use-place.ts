/** Place and ids in the address, as hooks. */
import { createContext, useContext } from 'react'
import { useLocation, useParams } from 'wouter'
import { type Place, placeIn } from './places.ts'

/** The organization, Project and Environment in the address. */
export function usePlace(): Place {
  const [path] = useLocation()
  const place = placeIn(path)
  if (!place) throw new Error(`${path} is not in an organization`)
  return place
}

/** Ids that the address lacks: an Environment chosen on a page of the Project. */
export const MoreIds = createContext<Record<string, string>>({})

/**
 * Ids in the address, by the names in the route. Their form is validated by the router.
 *
 *     const { projectId, environmentId } = useIds('projectId', 'environmentId')
 */
export function useIds<Name extends string>(...names: Name[]): Record<Name, string> {
  const params: Record<string, string | undefined> = { ...useParams(), ...useContext(MoreIds) }
  const entries = names.map((name) => {
    const value = params[name]
    if (value === undefined) throw new Error(`the address has no ${name}`)
    return [name, value]
  })
  return Object.fromEntries(entries)
}
