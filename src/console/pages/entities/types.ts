/** Entity types: those deployed, with their states, and those only defined in the Project. */
import type { EntitySource } from '../../../authoring/definitions/source.ts'
import type { Resource } from '../../data/resource.ts'
import { useIds } from '../../use-place.ts'
import { useParts } from '../delivery/parts.ts'
import { useDeployed } from '../operations/deployed.ts'

export interface EntityType {
  name: string
  /** In the order of the Definition; empty if not deployed. */
  states: string[]
  isDeployed: boolean
}

const statesOf = ({ states: { initial, states } }: EntitySource): string[] => [
  initial,
  ...Object.keys(states).filter((state) => state !== initial),
]

export function useEntityTypes(): Omit<Resource<EntityType[]>, 'loading' | 'refreshing'> {
  const { projectId } = useIds('projectId')
  const deployed = useDeployed()
  const parts = useParts(projectId)
  const failure = deployed.failure ?? parts.failure
  const refresh = async () => void (await Promise.all([deployed.refresh(), parts.refresh()]))
  if (!deployed.value || !parts.value) return { value: undefined, failure, refresh }
  const types = deployed.value.entities.map(({ name, source }) => ({
    name,
    states: statesOf(source),
    isDeployed: true,
  }))
  const known = new Set(types.map(({ name }) => name))
  const others = (parts.value.definitions ?? []).filter(({ kind, name }) => kind === 'entity' && !known.has(name))
  return {
    value: [...types, ...others.map(({ name }) => ({ name, states: [], isDeployed: false }))],
    failure,
    refresh,
  }
}
