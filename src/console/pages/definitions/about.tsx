/** Name, description and deletion of a Definition. */
import type { Definition } from '../../../authoring/definitions/schema.ts'
import { useAction } from '../../data/action.ts'
import { useApi } from '../../data/context.ts'
import { at, projectOf } from '../../places.ts'
import { usePlace } from '../../use-place.ts'
import { About, End } from '../revisions/about.tsx'
import { changesOf } from '../revisions/revised.ts'

export function DefinitionName({ definition }: { definition: Definition }) {
  const api = useApi()
  const { projectId, id: definitionId, kind } = definition
  const change = useAction(
    (body: { name?: string; description?: string | null }) =>
      api.v1.projects({ projectId }).definitions({ definitionId }).patch(body),
    { success: 'Definition updated', changes: changesOf('definitions', projectId), quiet: true },
  )
  return (
    <About
      kind="definitions"
      thing={definition}
      mark={['Kind', kind]}
      change={change}
      nameHint="Used in references. It cannot be changed once a Release pins the Definition."
    />
  )
}

export function DefinitionEnd({ definition }: { definition: Definition }) {
  const api = useApi()
  const place = usePlace()
  const { projectId, id: definitionId, name } = definition
  const remove = useAction(() => api.v1.projects({ projectId }).definitions({ definitionId }).delete(), {
    success: `${name} deleted`,
    changes: changesOf('definitions', projectId),
    opens: () => at(projectOf(place), 'definitions'),
  })
  return (
    <End
      kind="definitions"
      thing={definition}
      about="Its revisions are deleted too, and its name becomes available. A Definition pinned by an active Deployment cannot be deleted."
      consequence="Its revisions are deleted too."
      remove={remove}
    />
  )
}
