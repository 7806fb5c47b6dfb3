/** The statechart of a revision of an entity's Definition. */
import type { FullMachine } from '../../charts/use-machine.ts'
import { useApi } from '../../data/context.ts'
import { type Resource, useResource } from '../../data/resource.ts'

export interface RevisionPlace {
  projectId: string
  definitionId: string
  revisionId: string
}

export function useRevisionMachine({ projectId, definitionId, revisionId }: RevisionPlace): Resource<FullMachine> {
  const api = useApi()
  return useResource(['definitions', projectId, definitionId, 'machine', revisionId], (options) =>
    api.v1.projects({ projectId }).definitions({ definitionId }).revisions({ revisionId }).machine.get(options),
  )
}
